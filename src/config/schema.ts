import * as z from 'zod';
import { checkSections } from '../checks/order.ts';
import { coreSections, type CoreConfig } from './core.ts';
import { section, type Settings } from './fields.ts';

/** Schema of gateway.yaml. Loaded durations are milliseconds, and defaults are filled in. */
export const configSchema = section({ ...coreSections, ...checkSections });

/** The content of a gateway.yaml. Every key is optional. */
export type ConfigInput = z.input<typeof configSchema>;

/** The effective configuration: validated, complete, deeply frozen. Key names are those of gateway.yaml. */
export type Config = Settings<typeof configSchema> & CoreConfig;

/** Returns the JSON Schema (draft 2020-12) of gateway.yaml, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(configSchema, { io: 'input' }),
    title: 'gateway.yaml',
  };
}
