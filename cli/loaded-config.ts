import { loadConfig, type LoadedConfig } from '../src/config/load.ts';
import type { Call, GlobalOptions } from './command.ts';

/** Loads the configuration of a command: `--config`, else ./gateway.yaml, else the defaults. */
export function loadedConfig(call: Call): LoadedConfig {
  const { config: path } = call.command.optsWithGlobals<GlobalOptions>();
  return loadConfig({ path, env: call.env });
}
