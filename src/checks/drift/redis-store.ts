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
import type { SessionName } from '../../conversation/session-turn.ts';
import type { DriftStore } from './store.ts';

export interface RedisDriftStoreOptions {
  readonly client: RedisClient;
  readonly deadlineMs: number;
  /** `session.ttl`. */
  readonly ttlMs: number;
}

const sameScript = loadScript(new URL('./same-turns.lua', import.meta.url));
const passScript = loadScript(new URL('./pass-turn.lua', import.meta.url));
const answerScript = loadScript(new URL('./answer-anchor.lua', import.meta.url));

const FIELDS = [
  'created',
  'turn_count',
  'anchor',
  'anchor_digest',
  'answer',
  'widened',
  'prior',
  'unjudged',
  'recent',
] as const;

const grams = z
  .string()
  .nullable()
  .transform((text) => decodeGrams(text ?? ''))
  .pipe(z.custom<GramSet>((set) => set !== undefined));
/** Sets with a space between them, which their encoding does not have. */
const listOfGrams = z
  .string()
  .nullable()
  .transform((text) =>
    (text ?? '')
      .split(' ')
      .filter((set) => set !== '')
      .map(decodeGrams),
  )
  .pipe(z.array(z.custom<GramSet>((set) => set !== undefined)));
const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/)
  .transform(Number)
  .nullable();
const fieldsReply = z.tuple([
  wholeNumber,
  wholeNumber,
  grams,
  z.string().nullable(),
  grams,
  grams,
  grams,
  listOfGrams,
  z.string().nullable(),
]);
const flag = z.literal([0, 1]);
/** Says to the script that a field stays as it is. */
const KEPT = '=';

/** Topics of sessions in Redis: one hash a session, bounded, with the session's life. */
export function createRedisDriftStore({ client, deadlineMs, ttlMs }: RedisDriftStoreOptions): DriftStore {
  const keyOf = ({ keyHash, sessionId }: SessionName): string => driftKey(keyHash, sessionId);
  const encoded = (set: GramSet | undefined): string => (set === undefined ? '' : encodeGrams(set));
  const { ask } = createAsking(client, deadlineMs);
  return {
    read: (session) =>
      withRedisDeadline(deadlineMs, async () => stateOf(await client.hmget(keyOf(session), ...FIELDS))),
    isSame: (session, read, phase) => {
      const args =
        read === undefined ? ['', '', 0] : [read.createdAt, read.turnCount, encodeGrams(read.answer).length];
      return ask({ script: sameScript, keys: [keyOf(session)], args, read: isYes }, phase);
    },
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

function stateOf(reply: unknown): DriftState | undefined {
  const [createdAt, turnCount, anchor, anchorDigest, answer, widened, prior, unjudged, recent] =
    fieldsReply.parse(reply);
  if (turnCount === null) return undefined;
  return {
    createdAt: createdAt ?? 0,
    turnCount,
    anchor: anchorDigest === null ? undefined : { digest: anchorDigest, grams: anchor },
    answer,
    widened,
    prior,
    unjudged,
    recentDigests: recent === null ? [] : recent.split(' '),
  };
}
