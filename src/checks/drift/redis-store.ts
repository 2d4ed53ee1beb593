import * as z from 'zod';
import type { RedisClient } from '../../redis/client.ts';
import { driftKey } from '../../redis/keys.ts';
import { createAsking } from '../../redis/phase.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { decodeGrams, encodeGrams, GRAM_TEXT_CHARS } from '../../text/ngrams.ts';
import type { GramSet } from '../../text/ngrams.ts';
import { MAX_RECENT_TURNS, MAX_WIDENED_GRAMS } from './drift.ts';
import type { DriftState } from './drift.ts';
import type { SessionName } from '../../pipeline/session-turn.ts';
import type { DriftStore } from './store.ts';

export interface RedisDriftStoreOptions {
  readonly client: RedisClient;
  readonly deadlineMs: number;
  /** `session.ttl`. */
  readonly ttlMs: number;
}

const passScript = loadScript(new URL('./pass-turn.lua', import.meta.url));
const answerScript = loadScript(new URL('./answer-anchor.lua', import.meta.url));

/** As topic.lua has it: version, created, turns, digest of the anchor, and the lengths of the texts that come after. */
const HEAD = /^1 (\d{1,16}) (\d{1,16}) (\S*) (\d{1,9}) (\d{1,9}) (\d{1,9}) (\d{1,9}) (\d{1,9}) (\d{1,9})\n/;

const flag = z.literal([0, 1]);
/** Says to the script that a field stays as it is. */
const KEPT = '=';

/** Topics of sessions in Redis: one string a session, bounded, with the session's life. */
export function createRedisDriftStore({ client, deadlineMs, ttlMs }: RedisDriftStoreOptions): DriftStore {
  const keyOf = ({ keyHash, sessionId }: SessionName): string => driftKey(keyHash, sessionId);
  const encoded = (set: GramSet | undefined): string => (set === undefined ? '' : encodeGrams(set));
  const { ask } = createAsking(client, deadlineMs);
  return {
    read: (session) =>
      withRedisDeadline(deadlineMs, async () => {
        const packed = await client.get(keyOf(session));
        return packed === null ? undefined : stateOf(packed);
      }),
    passTurn: (session, turn, phase) => {
      const { digest, anchor, prior, widen, unjudged } = turn;
      const limits = [session.createdAt, ttlMs, MAX_RECENT_TURNS, MAX_WIDENED_GRAMS * GRAM_TEXT_CHARS];
      const sets = [anchor, prior, widen].map(encoded);
      const waiting = unjudged === undefined ? KEPT : unjudged.map(encodeGrams).join(' ');
      const args = [digest, ...limits, ...sets, waiting];
      return ask({ script: passScript, keys: [keyOf(session)], args, read: isYes }, phase);
    },
    answerAnchor: async (session, digest, answer) => {
      const args = [digest, encodeGrams(answer)];
      await ask({ script: answerScript, keys: [keyOf(session)], args, read: isYes });
    },
  };
}

function isYes(reply: unknown): boolean {
  return flag.parse(reply) === 1;
}

function stateOf(packed: string): DriftState {
  const head = HEAD.exec(packed);
  if (head === null) throw damaged();
  const [line, createdAt, turnCount, digest = '', ...lengths] = head;
  let at = line.length;
  const [anchor = '', answer = '', widened = '', prior = '', unjudged = '', recent = ''] = lengths.map(
    (length) => {
      at += Number(length);
      return packed.slice(at - Number(length), at);
    },
  );
  if (at !== packed.length) throw damaged();
  return {
    createdAt: Number(createdAt),
    turnCount: Number(turnCount),
    anchor: digest === '' ? undefined : { digest, grams: gramsOf(anchor) },
    answer: gramsOf(answer),
    widened: gramsOf(widened),
    prior: gramsOf(prior),
    unjudged: listOf(unjudged).map(gramsOf),
    recentDigests: listOf(recent),
  };
}

/** Neither the encoding of a set nor a digest has spaces. */
function listOf(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}

function gramsOf(text: string): GramSet {
  const grams = decodeGrams(text);
  if (grams === undefined) throw damaged();
  return grams;
}

function damaged(): Error {
  return new Error(
    "a session's topic is damaged, or of a version that this gateway does not know: end the session",
  );
}
