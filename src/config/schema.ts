import * as z from 'zod';
import { checkSections } from '../checks/order.ts';
import { coreSections, type CoreConfig } from './core.ts';
import { DURATION_PATTERN } from './duration.ts';
import { section, type Settings } from './fields.ts';

/** Schema of gateway.yaml. Loaded durations are milliseconds, and defaults are filled in. */
export const configSchema = section({ ...coreSections, ...checkSections });

/** The content of a gateway.yaml. Every key is optional. */
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
