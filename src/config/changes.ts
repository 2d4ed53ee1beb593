import { isObject } from '../json/is-object.ts';
import { configJsonSchema, schemaBelow, type Config, type JsonSchema } from './schema.ts';

export interface ChangedKey {
  /** Dotted path. If array elements were added or removed, the path of the array, such as `mcp.servers`. */
  readonly path: string;
  /** If false, the change takes effect on reload. */
  readonly needsRestart: boolean;
}

/**
 * Lists the keys that differ. Compares the members of mappings, and of arrays of equal length, that both configurations
 * have.
 */
export function changedKeys(before: Config, after: Config): readonly ChangedKey[] {
  return changesBelow(before, after, configJsonSchema(), '', false);
}

function changesBelow(
  before: unknown,
  after: unknown,
  schema: JsonSchema | undefined,
  path: string,
  restartsAbove: boolean,
): ChangedKey[] {
  const restarts = restartsAbove || schema?.['x-restart'] === true;
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      changesBelow(
        before[name],
        after[name],
        schemaBelow(schema, name),
        path === '' ? name : `${path}.${name}`,
        restarts,
      ),
    );
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item: unknown, nth) =>
      changesBelow(item, after[nth], schemaBelow(schema, nth), `${path}[${String(nth)}]`, restarts),
    );
  }
  return Object.is(before, after) ? [] : [{ path, needsRestart: restarts || restartsBelow(schema) }];
}

function restartsBelow(schema: JsonSchema | undefined): boolean {
  if (schema === undefined) return false;
  const { properties, items, additionalProperties, anyOf } = schema;
  const below = [...Object.values(properties ?? {}), ...(anyOf ?? [])];
  if (items !== undefined) below.push(items);
  if (typeof additionalProperties === 'object') below.push(additionalProperties);
  return below.some((child) => child['x-restart'] === true || restartsBelow(child));
}
