import { DURATION_PATTERN, formatDuration } from './duration.ts';
import { configJsonSchema, type Config, type ConfigInput } from './schema.ts';

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly anyOf?: readonly { readonly pattern?: string }[];
}

/** The effective configuration in the form of gateway.yaml: durations as written, and only what a file may hold. */
export function serializeConfig(config: Config): ConfigInput {
  const written = write(config, configJsonSchema()) as ConfigInput & { server: { insecure_dev?: boolean } };
  // The environment's alone: a file with it would be refused.
  delete written.server.insecure_dev;
  return written;
}

function write(value: unknown, schema: SchemaNode | undefined): unknown {
  if (typeof value === 'number' && isDuration(schema)) return formatDuration(value);
  if (Array.isArray(value)) return value.map((item) => write(item, undefined));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name, write(item, schema?.properties?.[name])]),
  );
}

function isDuration(schema: SchemaNode | undefined): boolean {
  return schema?.anyOf?.some(({ pattern }) => pattern === DURATION_PATTERN.source) === true;
}
