import { loadConfig, NO_FILE } from '../../src/config/load.ts';
import type { Environment } from '../../src/config/environment.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';

/** The pure defaults, as in a gateway without a file. */
export function defaultConfig(overrides: ConfigInput = {}, env: Environment = {}): Config {
  return loadConfig({ env: { ...env }, argvOverrides: overrides, path: NO_FILE }).config;
}
