import type { Command } from 'commander';
import { loadConfig, type LoadedConfig } from '../src/config/load.ts';
import type { GlobalOptions, Io } from './command.ts';

/** The configuration that a command works with: `--config`, or ./gateway.yaml, or the defaults. */
export function loadedConfig(command: Command, io: Io): LoadedConfig {
  const { config: path } = command.optsWithGlobals<GlobalOptions>();
  return loadConfig({ path, env: io.env });
}
