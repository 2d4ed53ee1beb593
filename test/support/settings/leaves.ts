import * as z from 'zod';

import { configSchema } from '../../../src/config/schema.ts';

type JsonSchema = {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly type?: string;
};

/**
 * Returns every key of gateway.yaml that has a value, in dotted form: `server.port`. Entries of a map are `*`
 * (`providers.azure.deployments.*`), those of a list of groups `[]` (`mcp.servers[].url`).
 */
export function settingLeaves(): readonly string[] {
  const schema = z.toJSONSchema(configSchema, { io: 'input', reused: 'inline' }) as JsonSchema;
  return [...new Set(leavesOf(schema, ''))];
}

function leavesOf(schema: JsonSchema, path: string): string[] {
  const { properties, additionalProperties: entries, items, anyOf } = schema;
  if (anyOf !== undefined) return anyOf.flatMap((one) => leavesOf(one, path));
  const below = Object.entries(properties ?? {}).flatMap(([name, value]) =>
    leavesOf(value, path === '' ? name : `${path}.${name}`),
  );
  if (typeof entries === 'object') below.push(...leavesOf(entries, `${path}.*`));
  if (items?.properties !== undefined) below.push(...leavesOf(items, `${path}[]`));
  return below.length === 0 ? [path] : below;
}
