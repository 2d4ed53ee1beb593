import { isSuccessOfServer, type Answer, type Answered, type Parsed } from '../../pipeline/exchange.ts';
import type { Batch } from '../../pipeline/batch.ts';
import { isParsed, PASS, type Check, type Denial, type Pass } from '../../pipeline/check.ts';
import { writtenFact } from '../../pipeline/facts.ts';
import { confirmed, SessionRead } from '../../pipeline/read-ahead.ts';
import { turnSession } from '../../conversation/session-name.ts';
import { lastQuestion } from '../../conversation/user-turns.ts';
import type { GramSet } from '../../text/ngrams.ts';
import type { DriftConfig } from './config.ts';
import { answerGrams, judgeTurn, type DriftSettings, type DriftState, type PassedTurn } from './drift.ts';
import type { DriftStore, SessionLife } from './store.ts';

export interface DriftCheckDeps {
  readonly config: DriftConfig;
  readonly store: DriftStore;
  /** Whether policies read drift facts. If so, drift is measured even without `enabled`, but not denied. */
  readonly isReadByPolicies?: () => boolean;
}

export interface DriftExchange {
  session?: SessionLife;
  readonly stored: SessionRead<DriftState | undefined>;
  passed?: PassedTurn;
  /** Whether the turn may become the session's anchor, or repeats it. */
  mayAnchor?: boolean;
  /** The anchoring turn's answer, until it is added to the anchor. */
  answer?: Answer;
}

export function driftSettings(config: DriftConfig): DriftSettings {
  return {
    minTurns: config.min_turns,
    anchorSimilarityThreshold: config.anchor_similarity_threshold,
    driftScoreThreshold: config.drift_score_threshold,
  };
}

/**
 * Denies a turn that leaves its session's topic (docs/drift.md). A turn counts once the provider has answered it. A
 * drifting turn never becomes the prior turn of later ones.
 */
export function createDriftCheck({
  config,
  store,
  isReadByPolicies,
}: DriftCheckDeps): Check<DriftExchange, 'drift'> {
  const name = 'drift';
  if (!config.enabled && isReadByPolicies === undefined)
    return { name, shadowable: true, requestBody: notMeasured };
  const settings = driftSettings(config);

  async function addAnswer({ session, passed, answer }: DriftExchange): Promise<void> {
    if (session === undefined || passed === undefined || answer === undefined) return;
    await store.answerAnchor(session, passed.digest, answerGrams(answer.written.text));
  }

  async function countTurn(
    exchange: Answered,
    state: DriftExchange,
    batch: Batch | undefined,
  ): Promise<void> {
    const { key, facts } = exchange;
    const { passed } = state;
    if (facts.session === undefined || facts.session === null || passed === undefined) return;
    const { id: sessionId, createdAt } = facts.session;
    state.session = { keyHash: key.keyHash, sessionId, createdAt };
    const answer = shortAnswer(exchange, state);
    if (!(await store.passTurn(state.session, passed, { answer, batch })) || answer !== undefined) return;
    state.answer = exchange.answer;
    if (exchange.form === 'whole') {
      await addAnswer(state);
      delete state.answer;
    }
  }

  const isMeasured = (): boolean => config.enabled || isReadByPolicies?.() === true;

  function judge(exchange: Parsed, state: DriftExchange, found: DriftState | undefined): Denial | Pass {
    const { session } = exchange.facts;
    const text = lastQuestion(exchange.request);
    if (session === undefined || session === null || text === undefined) return PASS;
    // Ignores the state of an earlier session with this name.
    const known = found?.createdAt === session.createdAt ? found : undefined;
    const { facts, passed } = judgeTurn(known, text, settings);
    exchange.facts.drift = facts;
    state.passed = passed;
    state.mayAnchor = passed.anchor !== undefined || known?.anchor?.digest === passed.digest;
    return facts.driftDetected && config.enabled ? driftDenied(facts.driftScore, settings) : PASS;
  }

  return {
    name,
    shadowable: true,
    repeatable: true,
    begin: () => ({ stored: new SessionRead() }),
    prepare(exchange, state, batch) {
      if (!isMeasured()) return;
      if (!isParsed(exchange)) return state.stored.readAhead(exchange, batch, store.read);
      const session = turnSession(exchange);
      if (session !== undefined) state.stored.read(exchange, () => store.read(session));
    },
    async requestBody(exchange, state, batch) {
      exchange.facts.drift = null;
      const session = writtenFact(exchange.facts, 'session');
      if (session === null) return PASS;
      const stored = await state.stored.take();
      if (stored === undefined) return PASS;
      const verdict = judge(exchange, state, stored.data);
      if (!stored.isAhead || verdict.kind === 'deny') return verdict;
      const named = { keyHash: exchange.key.keyHash, sessionId: session.id };
      return { kind: 'pending', verdict: confirmed(name, store.isSame(named, stored.data, batch)) };
    },
    response(exchange, state, batch) {
      return isSuccessOfServer(exchange)
        ? { kind: 'pending', verdict: countTurn(exchange, state, batch).then(() => PASS) }
        : PASS;
    },
    async end(_exchange, _outcome, state) {
      try {
        await addAnswer(state);
      } catch {
        // Without its answer, the anchor is narrower. If Redis is down, no turn passes anyway.
      }
    },
  };
}

/** Longer answers are processed in a separate event-loop turn. */
const SHORT_CHARS = 16_384;

function shortAnswer({ form, answer }: Answered, { mayAnchor }: DriftExchange): GramSet | undefined {
  const { text } = answer.written;
  const goesAlong = mayAnchor === true && form === 'whole' && text.length <= SHORT_CHARS;
  return goesAlong ? answerGrams(text) : undefined;
}

function notMeasured({ facts }: Parsed): Pass {
  facts.drift = null;
  return PASS;
}

function driftDenied(driftScore: number, { driftScoreThreshold }: DriftSettings): Denial {
  const reason = `drift score ${driftScore.toFixed(2)} exceeds ${String(driftScoreThreshold)}`;
  return {
    kind: 'deny',
    type: 'drift_detected',
    message: `the request has left the topic of its session (${reason}): start a new session for a new topic`,
    details: { reason },
    findings: [{ rule: 'drift', detector: 'drift', score: Number(driftScore.toFixed(2)) }],
  };
}
