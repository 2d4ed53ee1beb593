import type { RedisStoreOptions } from '../../redis/client.ts';
import { readClock } from '../../redis/clock.ts';
import { loopKey, sessionKey } from '../../redis/keys.ts';
import { createOperations } from '../../redis/batch.ts';
import { listOf, wrongShape, yes } from '../../redis/reply.ts';
import { loadScript } from '../../redis/script.ts';
import { UnknownForm } from '../../redis/stored-forms.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { formatSimHash, parseSimHash } from '../../text/simhash.ts';
import type { SessionName } from '../../conversation/session-name.ts';
import type { ArrivalLimit, LoopStore, RecentCall } from './store.ts';

const sameScript = loadScript(new URL('./same-calls.lua', import.meta.url));
const joinScript = loadScript(new URL('./record-call.lua', import.meta.url));
const countScript = loadScript(new URL('./count-arrival.lua', import.meta.url));
const giveBackScript = loadScript(new URL('./release-arrival.lua', import.meta.url));

/** Entry layout of calls.lua: version, time, fingerprint, operation. */
const OPERATION_CHARS = 13;
const ENTRY_CHARS = 1 + 13 + 16 + OPERATION_CHARS;
const FINGERPRINT_AT = 1 + 13;
const OPERATION_AT = FINGERPRINT_AT + 16;

const ENTRIES = /^(?:1\d{13}[0-9a-f]{16}[^]{13})*$/;

const exceededReply = listOf(yes);

export function createRedisLoopStore({ client, deadlineMs, now }: RedisStoreOptions): LoopStore {
  const at = (): string | number => (now === undefined ? '' : now());
  const { run } = createOperations(client, deadlineMs);
  /** Uses plain commands, because a script costs Redis several times as much. */
  const readCalls: LoopStore['readCalls'] = (session, { keepMs, maxCalls }) =>
    withRedisDeadline(deadlineMs, async () => {
      const [reply, readAt] = await Promise.all([
        client.getrange(callsKey(session), -maxCalls * ENTRY_CHARS, -1),
        now?.() ?? readClock(client),
      ]);
      const entries = packedEntries(reply);
      return { calls: recentCalls(readAt, entries, keepMs), last: entries.slice(-OPERATION_CHARS) };
    });
  return {
    readCalls,
    areSame: (session, last, batch) =>
      run({ script: sameScript, keys: [callsKey(session)], args: [last], read: yes }, batch),
    recordCall: (session, operationId, fingerprint, { keepMs, maxCalls }, batch) =>
      run(
        {
          script: joinScript,
          keys: [callsKey(session), loopStateKey(session)],
          args: [at(), operationId, formatSimHash(fingerprint), keepMs, maxCalls],
          read: isDone,
        },
        batch,
      ),
    countArrival: (session, operationId, limits, denies, batch) =>
      run(
        {
          script: countScript,
          keys: [loopStateKey(session), ...arrivalKeys(session, limits)],
          args: [
            at(),
            operationId,
            denies ? '' : '1',
            ...limits.flatMap(({ name, windowMs, limit }) => [name, windowMs, limit]),
          ],
          read: (reply) => exceededOf(reply, limits.length),
        },
        batch,
      ),
    giveBack: (session, operationId, limits) =>
      run({
        script: giveBackScript,
        keys: arrivalKeys(session, limits),
        args: [at(), operationId, ...limits.map(({ name }) => name)],
        read: isDone,
      }),
  };
}

function packedEntries(reply: unknown): string {
  if (typeof reply !== 'string') throw wrongShape();
  if (ENTRIES.test(reply)) return reply;
  const version = reply.at(-ENTRY_CHARS) ?? '';
  if (/^[02-9a-z]$/i.test(version)) throw new UnknownForm('calls', version);
  throw wrongShape();
}

function isDone(reply: unknown): void {
  if (reply !== 1) throw wrongShape();
}

function exceededOf(reply: unknown, limits: number): readonly boolean[] {
  const exceeded = exceededReply(reply);
  if (exceeded.length !== limits) throw wrongShape();
  return exceeded;
}

function callsKey({ keyHash, sessionId }: SessionName): string {
  return loopKey(keyHash, sessionId);
}

/** Key of the session. Tool calls are stored under a derived session name. */
function loopStateKey({ keyHash, sessionId }: SessionName): string {
  return sessionKey(keyHash, sessionId.split('/', 1)[0] ?? sessionId);
}

/** Keys of a session's arrivals and of each limit's overflow. Session ids contain no slash. */
function arrivalKeys({ keyHash, sessionId }: SessionName, limits: readonly ArrivalLimit[]): string[] {
  return ['arrivals', ...limits.map(({ name }) => name)].map((name) =>
    loopKey(keyHash, `${sessionId}/${name}`),
  );
}

/** Maximum clock difference in a cluster. Entries further ahead were written before a clock was set back. */
const MAX_SKEW_MS = 1_000;

/** Decodes entries of calls.lua, newest first. */
function recentCalls(now: number, entries: string, keepMs: number): RecentCall[] {
  const calls: RecentCall[] = [];
  for (let at = entries.length - ENTRY_CHARS; at >= 0; at -= ENTRY_CHARS) {
    const ageMs = now - Number(entries.slice(at + 1, at + FINGERPRINT_AT));
    if (ageMs >= keepMs) break;
    if (ageMs < -MAX_SKEW_MS) continue;
    const fingerprint = parseSimHash(entries.slice(at + FINGERPRINT_AT, at + OPERATION_AT));
    calls.push({ ageMs: Math.max(ageMs, 0), fingerprint });
  }
  return calls;
}
