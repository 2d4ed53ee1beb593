import * as z from 'zod';
import type { RedisClient } from '../../redis/client.ts';
import { loopKey, sessionKey } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { formatSimHash, parseSimHash } from '../../text/simhash.ts';
import type { SessionName } from '../../pipeline/session-turn.ts';
import type { ArrivalLimit, LoopStore, RecentCall } from './store.ts';

export interface RedisLoopStoreOptions {
  readonly client: RedisClient;
  /** See `phaseDeadlineMs`. */
  readonly deadlineMs: number;
  /** A clock for tests, Unix ms; Redis's own where it is left out (DECISIONS "Redis"). */
  readonly now?: () => number;
}

const readScript = loadScript(new URL('./read-calls.lua', import.meta.url));
const joinScript = loadScript(new URL('./join-call.lua', import.meta.url));
const countScript = loadScript(new URL('./count-arrival.lua', import.meta.url));
const giveBackScript = loadScript(new URL('./give-back-arrival.lua', import.meta.url));

const readReply = z.array(z.union([z.int().min(0), z.string().regex(/^[0-9a-f]{16}$/)]));
const doneReply = z.literal(1);
const exceededReply = z.array(z.literal([0, 1]));

/** Recent calls in Redis, shared by all gateways on it. */
export function createRedisLoopStore({ client, deadlineMs, now }: RedisLoopStoreOptions): LoopStore {
  const at = (): string | number => (now === undefined ? '' : now());
  return {
    readCalls: (session, { keepMs, maxCalls }) =>
      withRedisDeadline(deadlineMs, async () => {
        const reply = await readScript.run(client, [callsKey(session)], [at(), keepMs, maxCalls]);
        return recentCalls(readReply.parse(reply));
      }),
    joinCall: (session, operationId, fingerprint, { keepMs, maxCalls }) =>
      withRedisDeadline(deadlineMs, async () => {
        const call = [at(), operationId, formatSimHash(fingerprint), keepMs, maxCalls];
        doneReply.parse(await joinScript.run(client, [callsKey(session), stateKey(session)], call));
      }),
    countArrival: (session, operationId, limits, denies) =>
      withRedisDeadline(deadlineMs, async () => {
        const windows = limits.flatMap(({ windowMs, limit }) => [windowMs, limit]);
        const keys = [stateKey(session), ...arrivalKeys(session, limits)];
        const reply = await countScript.run(client, keys, [at(), operationId, denies ? '' : '1', ...windows]);
        const exceeded = exceededReply.parse(reply);
        if (exceeded.length !== limits.length) throw new Error('Redis gave a reply of the wrong shape');
        return exceeded.map((one) => one === 1);
      }),
    giveBack: (session, operationId, limits) =>
      withRedisDeadline(deadlineMs, async () => {
        doneReply.parse(await giveBackScript.run(client, arrivalKeys(session, limits), [operationId]));
      }),
  };
}

function callsKey({ keyHash, sessionId }: SessionName): string {
  return loopKey(keyHash, sessionId);
}

/** The hash of the session itself: tool calls are kept beside it, under a name of their own. */
function stateKey({ keyHash, sessionId }: SessionName): string {
  return sessionKey(keyHash, sessionId.split('/', 1)[0] ?? sessionId);
}

/** No session id holds a slash, so these are no session's calls. */
function arrivalKeys({ keyHash, sessionId }: SessionName, limits: readonly ArrivalLimit[]): string[] {
  return limits.map(({ name }) => loopKey(keyHash, `${sessionId}/${name}`));
}

/** Ages and fingerprints by turns. */
function recentCalls(reply: z.infer<typeof readReply>): RecentCall[] {
  const calls: RecentCall[] = [];
  for (let index = 0; index + 1 < reply.length; index += 2) {
    calls.push({ ageMs: Number(reply[index]), fingerprint: parseSimHash(String(reply[index + 1])) });
  }
  return calls;
}
