import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { RedisStoreOptions } from '../../../redis/client.ts';
import { mcpSessionKey, mcpSessionsKey } from '../../../redis/keys.ts';
import { loadScript } from '../../../redis/script.ts';
import { withRedisDeadline } from '../../../redis/unavailable.ts';
import { MAX_MCP_SESSIONS, type McpSession, type McpSessionStore } from './store.ts';

export interface RedisMcpSessionStoreOptions extends RedisStoreOptions {
  readonly ttlMs: number;
  readonly maxPerKey?: number;
}

const claimScript = loadScript(new URL('./claim-session.lua', import.meta.url));
const indexScript = loadScript(new URL('./index-session.lua', import.meta.url));
const endScript = loadScript(new URL('./end-session.lua', import.meta.url));

const bindReply = z.enum(['own', 'foreign']);
const useReply = z.enum(['own', 'foreign', 'unowned']);
const digests = z.array(z.string());
const flag = z.literal([0, 1]);

/** Keeps MCP sessions in Redis. Session ids act as credentials, so only digests are stored. */
export function createRedisMcpSessionStore(options: RedisMcpSessionStoreOptions): McpSessionStore {
  const { client, deadlineMs, ttlMs, maxPerKey = MAX_MCP_SESSIONS } = options;
  const within = <T>(work: () => Promise<T>): Promise<T> => withRedisDeadline(deadlineMs, work);

  function claim(session: McpSession, mayBind: 0 | 1): Promise<unknown> {
    return claimScript.run(client, [storeKey(session)], [session.keyHash, ttlMs, mayBind]);
  }

  async function index(session: McpSession, adds: 0 | 1): Promise<readonly string[]> {
    const args = [sessionKeyDigest(session), ttlMs, maxPerKey, adds];
    return digests.parse(await indexScript.run(client, [mcpSessionsKey(session.keyHash)], args));
  }

  async function bind(session: McpSession): Promise<'own' | 'foreign'> {
    const owner = bindReply.parse(await claim(session, 1));
    if (owner === 'own') await end(session.keyHash, await index(session, 1));
    return owner;
  }

  async function end(keyHash: string, ended: readonly string[]): Promise<void> {
    await Promise.all(
      ended.map(async (digest) =>
        flag.parse(await endScript.run(client, [mcpSessionKey(digest)], [keyHash])),
      ),
    );
  }

  return {
    bind: (session) => within(() => bind(session)),
    use: (session) =>
      within(async () => {
        const [owner] = await Promise.all([claim(session, 0), index(session, 0)]);
        return useReply.parse(owner);
      }),
    end: (session) =>
      within(async () => {
        const digest = sessionKeyDigest(session);
        await Promise.all([
          end(session.keyHash, [digest]),
          client.zrem(mcpSessionsKey(session.keyHash), digest),
        ]);
      }),
  };
}

function storeKey(session: McpSession): string {
  return mcpSessionKey(sessionKeyDigest(session));
}

/** Server names contain no space, so pairs cannot collide. */
function sessionKeyDigest({ server, sessionId }: McpSession): string {
  return createHash('sha256').update(`${server} ${sessionId}`).digest('hex');
}
