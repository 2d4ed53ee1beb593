import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { RedisClient } from '../../../redis/client.ts';
import { mcpSessionKey } from '../../../redis/keys.ts';
import { loadScript } from '../../../redis/script.ts';
import { withRedisDeadline } from '../../../redis/unavailable.ts';
import type { McpSession, McpSessionStore } from './store.ts';

export interface RedisMcpSessionStoreOptions {
  readonly client: RedisClient;
  /** See `phaseDeadlineMs`. */
  readonly deadlineMs: number;
  /** `session.ttl`. */
  readonly ttlMs: number;
}

const claimScript = loadScript(new URL('./claim-session.lua', import.meta.url));
const endScript = loadScript(new URL('./end-session.lua', import.meta.url));

const bindReply = z.enum(['own', 'foreign']);
const useReply = z.enum(['own', 'foreign', 'nobody']);
const flag = z.literal([0, 1]);

/** Sessions of MCP servers in Redis. Their ids are credentials of a kind: only digests are stored. */
export function createRedisMcpSessionStore(options: RedisMcpSessionStoreOptions): McpSessionStore {
  const { client, deadlineMs, ttlMs } = options;
  const claim = (session: McpSession, mayBind: 0 | 1): Promise<unknown> =>
    claimScript.run(client, [storeKey(session)], [session.keyHash, ttlMs, mayBind]);
  return {
    bind: (session) => withRedisDeadline(deadlineMs, async () => bindReply.parse(await claim(session, 1))),
    use: (session) => withRedisDeadline(deadlineMs, async () => useReply.parse(await claim(session, 0))),
    end: (session) =>
      withRedisDeadline(deadlineMs, async () => {
        flag.parse(await endScript.run(client, [storeKey(session)], [session.keyHash]));
      }),
  };
}

/** No server's name holds a space, so that no two pairs read the same. */
function storeKey({ server, sessionId }: McpSession): string {
  return mcpSessionKey(createHash('sha256').update(`${server} ${sessionId}`).digest('hex'));
}
