import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Environment } from '../../../../src/config/environment.ts';
import { loadConfig, type LoadedConfig } from '../../../../src/config/load.ts';
import { ConfigError } from '../../../../src/config/problems.ts';
import type { ConfigInput } from '../../../../src/config/schema.ts';

export let folder: string;

export let path: string;

export function load(yaml: string, env: Environment = {}, argvOverrides: ConfigInput = {}): LoadedConfig {
  writeFileSync(path, yaml);
  return loadConfig({ path, env, argvOverrides });
}

/** The problems of a file, with `L:C` for its own name. */
export function problems(yaml: string, env: Environment = {}): string[] {
  try {
    load(yaml, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.replaceAll(`${path}:`, '').split('\n');
  }
  return [];
}

/** The start of each of these files. */
export function useRig(): void {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-config-'));
    path = join(folder, 'gateway.yaml');
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
}
