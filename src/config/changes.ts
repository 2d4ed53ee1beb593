import { isObject } from '../json/is-object.ts';
import { configJsonSchema, type Config } from './schema.ts';

/** A key whose value differs between two configurations. */
export interface ChangedKey {
  /** Dotted path; `mcp.servers` if entries were added or removed. */
  readonly path: string;
  /** The change takes effect at the next start only. */
  readonly needsRestart: boolean;
}

interface SchemaNode {
  readonly 'x-restart'?: boolean;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly anyOf?: readonly SchemaNode[];
}

/** Lists the keys that differ, as far down as both configurations have the same groups. */
export function changedKeys(before: Config, after: Config): readonly ChangedKey[] {
  return changesBelow(before, after, configJsonSchema(), '', false);
}

function changesBelow(
  before: unknown,
  after: unknown,
  schema: SchemaNode | undefined,
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
        memberOf(schema, name),
        path === '' ? name : `${path}.${name}`,
        restarts,
      ),
    );
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((one: unknown, nth) =>
      changesBelow(one, after[nth], itemOf(schema), `${path}[${String(nth)}]`, restarts),
    );
  }
  return Object.is(before, after) ? [] : [{ path, needsRestart: restarts || restartsBelow(schema) }];
}

function memberOf(schema: SchemaNode | undefined, name: string): SchemaNode | undefined {
  const group = schema?.properties ? schema : (schema?.anyOf?.find((one) => one.properties) ?? schema);
  const rest = group?.additionalProperties;
  return group?.properties?.[name] ?? (typeof rest === 'object' ? rest : undefined);
}

function itemOf(schema: SchemaNode | undefined): SchemaNode | undefined {
  return schema?.items ?? schema?.anyOf?.find((one) => one.items)?.items;
}

function restartsBelow(schema: SchemaNode | undefined): boolean {
  if (schema === undefined) return false;
  const { properties, items, additionalProperties, anyOf } = schema;
  const below = [...Object.values(properties ?? {}), ...(anyOf ?? [])];
  if (items !== undefined) below.push(items);
  if (typeof additionalProperties === 'object') below.push(additionalProperties);
  return below.some((one) => one['x-restart'] === true || restartsBelow(one));
}
