import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { ConfigError, formatProblem } from '../config/problems.ts';
import type { Config } from '../config/schema.ts';
import { messageOf } from '../errors.ts';
import { poll } from '../poll.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ConfigChanges } from './config-reader.ts';

export type NotInForce = 'broken' | 'restart' | 'refused';

export const NOT_IN_FORCE: readonly NotInForce[] = ['broken', 'restart', 'refused'];

export interface ReloadState {
  /** Undefined while the file on disk is in effect. */
  readonly notInForce: NotInForce | undefined;
  readonly keys: readonly string[];
  readonly applied: number;
}

export interface Reload {
  current(): Config;
  state(): ReloadState;
  close(): void;
}

export interface ReloadOptions {
  readonly file: string;
  readonly config: Config;
  /**
   * Reads the file and compares it with the configuration in effect.
   * @throws ConfigError
   */
  readonly read: (inForce: Config) => Promise<{ readonly config: Config; readonly changes: ConfigChanges }>;
  /**
   * Activates a configuration everywhere.
   * @throws Error if the configuration cannot be used, without changing anything
   */
  readonly apply: (config: Config) => Promise<void>;
  readonly log: Logger;
}

const EVERY_MS = 1_000;
const TRY_AGAIN_MS = 30_000;

/**
 * Follows gateway.yaml and the `.env` next to it. If a changed file is invalid, needs a restart or is refused by a
 * worker, the whole previous configuration stays in effect.
 */
export async function followConfig(options: ReloadOptions): Promise<Reload> {
  const { log } = options;
  let current = options.config;
  let state: ReloadState = { notInForce: undefined, keys: [], applied: 0 };
  let seen = await contents(options.file);
  let tryAgainAt = Infinity;

  function keep(notInForce: NotInForce, keys: readonly string[], fields: object, message: string): void {
    state = { ...state, notInForce, keys };
    log.error(fields, `${message}: the previous configuration stays in effect`);
  }

  async function apply(config: Config, { changed }: ConfigChanges): Promise<void> {
    try {
      await options.apply(config);
    } catch (cause) {
      tryAgainAt = performance.now() + TRY_AGAIN_MS;
      keep('refused', [], { cause: messageOf(cause) }, 'the changed gateway.yaml cannot be applied');
      return;
    }
    current = config;
    state = { notInForce: undefined, keys: [], applied: state.applied + 1 };
    log.info({ keys: changed }, 'the changed gateway.yaml is in effect');
  }

  async function reload(): Promise<void> {
    tryAgainAt = Infinity;
    try {
      const { config, changes } = await options.read(current);
      if (changes.restart.length > 0) {
        keep(
          'restart',
          changes.restart,
          { keys: changes.restart },
          'the changed gateway.yaml needs a restart',
        );
      } else if (changes.changed.length > 0) await apply(config, changes);
      else {
        if (state.notInForce !== undefined)
          log.info('gateway.yaml matches the configuration in effect again');
        state = { ...state, notInForce: undefined, keys: [] };
      }
    } catch (cause) {
      const problems = cause instanceof ConfigError ? cause.problems.map(formatProblem) : [messageOf(cause)];
      keep('broken', [], { problems }, 'the changed gateway.yaml is invalid');
    }
  }

  const polling = poll(async () => {
    const now = await contents(options.file);
    const isChanged = now !== seen;
    seen = now;
    if (isChanged || performance.now() >= tryAgainAt) await reload();
  }, EVERY_MS);
  return {
    current: () => current,
    state: () => state,
    close: polling.close,
  };
}

/** Returns the contents of both files. Missing files differ from empty ones. */
async function contents(file: string): Promise<string> {
  const read = (path: string): Promise<string | null> => readFile(path, 'utf8').catch(() => null);
  return JSON.stringify(await Promise.all([read(file), read(join(dirname(file), '.env'))]));
}
