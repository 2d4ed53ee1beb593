import * as z from 'zod';
import { checkSections } from '../checks/order.ts';
import { coreSections, type CoreConfig } from './core.ts';
import { DURATION_PATTERN } from './duration.ts';
import { section, type Settings } from './fields.ts';

/** Schema of gateway.yaml. Loaded durations are milliseconds, and defaults are filled in. */
export const configSchema = section({ ...coreSections, ...checkSections });

/** The content of a gateway.yaml. Every section is optional. */
export type ConfigInput = z.input<typeof configSchema>;

/** The effective configuration: validated, complete, deeply frozen. Key names are those of gateway.yaml. */
export type Config = Settings<typeof configSchema> & CoreConfig;

/** The JSON Schema keywords in use. For `x-restart`, see `needsRestart`. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly 'x-restart'?: boolean;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
}

/** Returns the JSON Schema (draft 2020-12) of gateway.yaml, for editors. */
export function configJsonSchema(): JsonSchema {
  return { ...z.toJSONSchema(configSchema, { io: 'input' }), title: 'gateway.yaml' } as JsonSchema;
}

export function isDuration({ anyOf }: JsonSchema): boolean {
  return anyOf?.some(({ pattern }) => pattern === DURATION_PATTERN.source) === true;
}

export function groupIn(schema: JsonSchema | undefined): JsonSchema | undefined {
  return schema?.properties ? schema : schema?.anyOf?.find(({ properties }) => properties);
}

/** Returns the schema of a member by name, or of array elements by index. */
export function schemaBelow(schema: JsonSchema | undefined, step: PropertyKey): JsonSchema | undefined {
  if (typeof step === 'number') return schema?.items ?? schema?.anyOf?.find(({ items }) => items)?.items;
  const { properties, additionalProperties: others } = groupIn(schema) ?? schema ?? {};
  return properties?.[String(step)] ?? (typeof others === 'object' ? others : undefined);
}

export interface ConfigKey {
  /** Dotted path; array elements are `servers[]`, map values `overrides.*`. */
  readonly path: string;
  /** Accepted values in words, such as `duration`, `true or false`, `integer, 1 to 65535`. */
  readonly values: string;
  readonly preset: unknown;
  readonly description: string;
  readonly isGroup: boolean;
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
