import { configJsonSchema, isDuration, type JsonSchema } from './schema.ts';

/** A key of gateway.yaml. */
export interface ConfigKey {
  /** Dotted path; items of lists are `servers[]`, values of maps `overrides.*`. */
  readonly path: string;
  /** Accepted values in words, such as `duration`, `true or false`, `integer, 1 to 65535`. */
  readonly values: string;
  /** Undefined for a key without a default. */
  readonly preset: unknown;
  readonly description: string;
  /** Whether the key has keys of its own. */
  readonly isGroup: boolean;
  /** Whether a change takes effect only at the next start. */
  readonly needsRestart: boolean;
}

/** Lists all keys of gateway.yaml in the order of the schema, groups before the keys in them. */
export function configKeys(): readonly ConfigKey[] {
  return keysBelow(configJsonSchema(), '', false);
}

function keysBelow(schema: JsonSchema, prefix: string, restartsAbove: boolean): readonly ConfigKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, child]) => {
    const path = `${prefix}${name}`;
    const [below, suffix] = nested(child);
    const needsRestart = restartsAbove || child['x-restart'] === true;
    return [
      {
        path,
        values: valuesText(child),
        preset: child.default,
        description: child.description ?? '',
        isGroup: child.properties !== undefined,
        needsRestart,
      },
      ...(below === undefined ? [] : keysBelow(below, `${path}${suffix}.`, needsRestart)),
    ];
  });
}

/** Returns the schema of the keys below this one, and the suffix of their paths. */
function nested(schema: JsonSchema): readonly [JsonSchema | undefined, string] {
  if (schema.properties) return [schema, ''];
  if (schema.items?.properties) return [schema.items, '[]'];
  const values = schema.additionalProperties;
  if (typeof values !== 'object') return [undefined, ''];
  const [below, suffix] = nested(values);
  return [below, `.*${suffix}`];
}

function valuesText(schema: JsonSchema): string {
  if (isDuration(schema)) return 'duration';
  if (schema.anyOf) return schema.anyOf.map(valuesText).join(', or ');
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.items) return `list of ${schema.items.properties ? 'objects' : valuesText(schema.items)}`;
  if (schema.properties) return `object with ${Object.keys(schema.properties).join(', ')}`;
  if (typeof schema.additionalProperties === 'object')
    return `map to ${schema.additionalProperties.properties ? 'objects' : valuesText(schema.additionalProperties)}`;
  if (schema.type === 'boolean') return 'true or false';
  const { minimum, maximum, type = 'any value' } = schema;
  return minimum === undefined || maximum === undefined
    ? type
    : `${type}, ${String(minimum)} to ${String(maximum)}`;
}
