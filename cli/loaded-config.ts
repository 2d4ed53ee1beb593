import type { Command } from 'commander';
import { loadConfig, type LoadedConfig } from '../src/config/load.ts';
import type { GlobalOptions, Io } from './command.ts';

/** Loads the configuration of a command: `--config`, else ./gateway.yaml, else the defaults. */
export function loadedConfig(command: Command, io: Io): LoadedConfig {
  const { config: path } = command.optsWithGlobals<GlobalOptions>();
  return loadConfig({ path, env: io.env });
}
