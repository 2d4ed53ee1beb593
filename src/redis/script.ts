import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from './client.ts';

const INCLUDE = /^-- @include (\S+\.lua)$/gm;

/** A Lua script that Redis runs as one atomic step. */
export interface RedisScript {
  /** Runs it on keys of one slot; the caller parses the reply. */
  run(client: RedisClient, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}

/**
 * Loads the `.lua` file beside its caller: `loadScript(new URL('./reserve-budget.lua', import.meta.url))`.
 * A line `-- @include shared.lua` stands for the text of that file, its path from this one's folder; so in what is included.
 */
export function loadScript(file: URL): RedisScript {
  const source = readWhole(file);
  const sha = createHash('sha1').update(source).digest('hex');
  return {
    async run(client, keys, args) {
      try {
        return await client.evalsha(sha, keys.length, ...keys, ...args);
      } catch (failure) {
        // A restarted, failed-over or flushed server does not know the script: EVAL runs and stores it.
        if (failure instanceof Error && failure.message.startsWith('NOSCRIPT')) {
          return await client.eval(source, keys.length, ...keys, ...args);
        }
        throw failure;
      }
    },
  };
}

function readWhole(file: URL): string {
  return readFileSync(file, 'utf8').replace(INCLUDE, (_line, name: string) => readWhole(new URL(name, file)));
}
