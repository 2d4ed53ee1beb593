import * as z from 'zod';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { mcpDefinitionsKey } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';

const keepScript = loadScript(new URL('./keep-definitions.lua', import.meta.url));
const added = z.int().min(0);

/** One pinned and one changed definition for each of MAX_PINNED_TOOLS. */
const MAX_DEFINITIONS = 2_000;

/** Stores tool definitions by digest, for operators to compare. Failures throw `redis_unavailable`. */
export interface DefinitionStore {
  keep(server: string, definitions: ReadonlyMap<string, string>): Promise<void>;
  /** Resolves to the definitions in the order of the digests; undefined for unknown ones. */
  read(server: string, digests: readonly string[]): Promise<readonly (string | undefined)[]>;
}

export function createDefinitionStore({ client, deadlineMs }: RedisStoreOptions): DefinitionStore {
  return {
    keep: (server, definitions) =>
      withRedisDeadline(deadlineMs, async () => {
        const args = [...definitions].flat();
        added.parse(await keepScript.run(client, [mcpDefinitionsKey(server)], [MAX_DEFINITIONS, ...args]));
      }),
    read: (server, digests) =>
      withRedisDeadline(deadlineMs, async () => {
        if (digests.length === 0) return [];
        const kept = await client.hmget(mcpDefinitionsKey(server), ...digests);
        return kept.map((definition) => definition ?? undefined);
      }),
  };
}
