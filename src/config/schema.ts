import * as z from 'zod';
import { checkSections } from '../checks/order.ts';
import { coreSections, type CoreConfig } from './core.ts';
import { section, type Settings } from './fields.ts';

/** gateway.yaml, whole: key names as written, durations read to milliseconds, defaults filled in. */
export const configSchema = section({ ...coreSections, ...checkSections });

/** What may be written in gateway.yaml; every key is optional. */
export type ConfigInput = z.input<typeof configSchema>;

/**
 * The effective configuration: validated, complete, deeply frozen. Keys are gateway.yaml's own
 * (`config.server.max_payload_bytes`); durations are `Milliseconds`.
 */
export type Config = Settings<typeof configSchema> & CoreConfig;

/** The JSON Schema (draft 2020-12) of gateway.yaml, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(configSchema, { io: 'input' }),
    title: 'gateway.yaml',
  };
}
