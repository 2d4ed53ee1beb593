import type { RedisStoreOptions } from '../../redis/client.ts';
import { driftKey } from '../../redis/keys.ts';
import { createOperations } from '../../redis/batch.ts';
import { text, tupleOf, wrongShape, yes } from '../../redis/reply.ts';
import { loadScript } from '../../redis/script.ts';
import { checkForm } from '../../redis/stored-forms.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { decodeGrams, encodeGrams, GRAM_TEXT_CHARS, type GramSet } from '../../text/ngrams.ts';
import { MAX_RECENT_TURNS, MAX_WIDENED_GRAMS, type DriftState } from './drift.ts';
import type { SessionName } from '../../conversation/session-name.ts';
import type { DriftStore } from './store.ts';

const sameScript = loadScript(new URL('./same-turns.lua', import.meta.url));
const answerScript = loadScript(new URL('./answer-anchor.lua', import.meta.url));

const FIELDS = [
  'head',
  'anchor',
  'anchor_digest',
  'answer',
  'widened',
  'prior',
  'unjudged',
  'recent',
  'form',
] as const;

const fieldsReply = tupleOf(
  headText,
  gramsText,
  textOrNothing,
  gramsText,
  gramsText,
  gramsText,
  listOfGrams,
  textOrNothing,
  textOrNothing,
);
/** Argument that makes the script keep a field. */
const KEPT = '=';

/** Keeps topics in Redis, in one bounded hash per session with the session's lifetime. */
export function createRedisDriftStore({
  client,
  deadlineMs,
  ttlMs,
}: RedisStoreOptions & { readonly ttlMs: number }): DriftStore {
  const keyOf = ({ keyHash, sessionId }: SessionName): string => driftKey(keyHash, sessionId);
  const encoded = (set: GramSet | undefined): string => (set === undefined ? '' : encodeGrams(set));
  const passScript = loadScript(new URL('./pass-turn.lua', import.meta.url), {
    DRIFT_TTL_TEXT: String(ttlMs),
    RECENT_TURNS: MAX_RECENT_TURNS,
    WIDENED_CHARS: MAX_WIDENED_GRAMS * GRAM_TEXT_CHARS,
  });
  const { run } = createOperations(client, deadlineMs);
  return {
    read: (session) =>
      withRedisDeadline(deadlineMs, async () => stateOf(await client.hmget(keyOf(session), ...FIELDS))),
    isSame: (session, read, batch) => {
      const args = [read === undefined ? '' : headOf(read)];
      return run({ script: sameScript, keys: [keyOf(session)], args, read: yes }, batch);
    },
    passTurn: (session, turn, { answer, batch } = {}) => {
      const { digest, anchor, prior, widen, unjudged } = turn;
      const sets = [anchor, prior, widen].map(encoded);
      const waiting = unjudged === undefined ? KEPT : unjudged.map(encodeGrams).join(' ');
      const args = [digest, session.createdAt, ...sets, waiting, encoded(answer)];
      return run({ script: passScript, keys: [keyOf(session)], args, read: yes }, batch);
    },
    answerAnchor: async (session, digest, answer) => {
      const args = [digest, encodeGrams(answer)];
      await run({ script: answerScript, keys: [keyOf(session)], args, read: yes });
    },
  };
}

function textOrNothing(field: unknown): string | undefined {
  return field === null ? undefined : text(field);
}

/** Mirrors pass-turn.lua. */
function headOf({ createdAt, turnCount, answer }: DriftState): string {
  return `${String(createdAt)} ${String(turnCount)} ${String(answer.length * GRAM_TEXT_CHARS)}`;
}

function headText(field: unknown): Pick<DriftState, 'createdAt' | 'turnCount'> | undefined {
  const head = textOrNothing(field);
  if (head === undefined) return undefined;
  const [, createdAt, turnCount] = /^(\d{1,16}) (\d{1,16}) \d{1,16}$/.exec(head) ?? [];
  if (createdAt === undefined || turnCount === undefined) throw wrongShape();
  return { createdAt: Number(createdAt), turnCount: Number(turnCount) };
}

function gramsText(field: unknown): GramSet {
  const grams = decodeGrams(textOrNothing(field) ?? '');
  if (grams === undefined) throw wrongShape();
  return grams;
}

/** Sets are separated by spaces, which do not occur in encoded sets. */
function listOfGrams(field: unknown): readonly GramSet[] {
  const sets = (textOrNothing(field) ?? '').split(' ');
  return sets.filter((set) => set !== '').map(gramsText);
}

function stateOf(reply: unknown): DriftState | undefined {
  if (Array.isArray(reply)) checkForm('drift', textOrNothing(reply.at(-1)));
  const [head, anchor, anchorDigest, answer, widened, prior, unjudged, recent] = fieldsReply(reply);
  if (head === undefined) return undefined;
  return {
    ...head,
    anchor: anchorDigest === undefined ? undefined : { digest: anchorDigest, grams: anchor },
    answer,
    widened,
    prior,
    unjudged,
    recentDigests: recent === undefined ? [] : recent.split(' '),
  };
}
