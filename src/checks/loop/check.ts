import { newOperationId } from '../../operation-id.ts';
import { HEADER } from '../../headers.ts';
import { calledTool } from '../../mcp/message.ts';
import { BatchAborted, type Batch } from '../../pipeline/batch.ts';
import {
  isParsed,
  PASS,
  type Check,
  type Denial,
  type FinalVerdict,
  type Pass,
  type Verdict,
} from '../../pipeline/check.ts';
import type { Answered, Parsed } from '../../pipeline/exchange.ts';
import { writtenFact } from '../../pipeline/facts.ts';
import { confirmed, SessionRead, StaleRead } from '../../pipeline/read-ahead.ts';
import {
  mcpSessionOf,
  toolCallsOf,
  turnSession,
  UNANSWERED_LIFE_MS,
  type SessionName,
} from '../../conversation/session-name.ts';
import type { SimHash } from '../../text/simhash.ts';
import { isTurnOver, nextTurn } from '../../turns.ts';
import type { LoopConfig } from './config.ts';
import { arrivalLimits, detectLoop } from './detect.ts';
import { fingerprintOf } from './fingerprint.ts';
import { latestStep, toolStep, type LoopStep } from './step.ts';
import type { ArrivalLimit, LoopMemory, LoopStore, RecentCalls } from './store.ts';

export interface LoopDeps {
  readonly config: LoopConfig;
  readonly store: LoopStore;
  /** `server.shadow_mode`: calls proceed and are counted regardless of the verdict. */
  readonly shadowMode: boolean;
}

/** Values of `X-Gateway-Loop-Detected`. */
export type LoopDetector = 'fingerprint' | 'velocity' | 'stall';

export interface LoopState {
  readonly operationId: string;
  session?: SessionName;
  /** Name under which calls of this kind are stored (turns, or tool calls). */
  kept?: SessionName;
  readonly stored: SessionRead<RecentCalls>;
  fingerprint?: SimHash | undefined;
  /** Limits that count this call. The count is undone unless the call is served. */
  counted: readonly ArrivalLimit[];
  counting?: Promise<unknown>;
}

/** Number of stored calls per session, unless a threshold is higher. Loops are usually detected long before. */
const MAX_CALLS = 256;
/** Maximum age of calls compared for stalls, which have no window. */
const STALL_MEMORY_MS = 3_600_000;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;

/**
 * Detects agents that repeat themselves in a session (docs/loops.md): the same call repeated (fingerprint), too many
 * calls (velocity), or nearly identical calls (stall). Turns are compared with turns, and MCP tool calls with MCP tool
 * calls. A call counts once it is answered, except with 429 or 5xx, because client retries are not a loop.
 */
export function createLoopCheck({ config, store, shadowMode }: LoopDeps): Check<LoopState, 'loop'> {
  const name = 'loop';
  if (!config.enabled) return { name, shadowable: true };
  const memory = memoryOf(config);

  const blocks = config.action === 'block' && !shadowMode;

  async function judge(
    exchange: Parsed,
    state: LoopState,
    session: SessionName,
    batch: Batch | undefined,
  ): Promise<Verdict> {
    // Stored calls are not kept in the state, because there are many, and the answer may take minutes.
    const stored = await state.stored.take();
    const step = loopStepOf(exchange);
    if (isTurnOver(step.userText.length)) await nextTurn();
    state.fingerprint = fingerprintOf(step, config.fingerprint.defeat_padding);
    const seen = detectLoop(config, stored?.data.calls ?? [], state.fingerprint);
    const limits = arrivalLimits(config.velocity, exchange, step);
    if (stored?.isAhead === true) {
      if (seen !== undefined) throw new StaleRead(name);
      const same = store.areSame(session, stored.data.last, batch);
      const counted = limits.length === 0 ? PASS : count(exchange, state, session, limits, seen, batch);
      return { kind: 'pending', verdict: confirmed(name, same, counted) };
    }
    if (limits.length === 0 || (blocks && seen === 'fingerprint')) return flagged(exchange, seen);
    // Denies a stalled call before anything is reserved. Excess velocity takes precedence.
    if (blocks && seen === 'stall') return count(exchange, state, session, limits, seen);
    return { kind: 'pending', verdict: count(exchange, state, session, limits, seen, batch) };
  }

  async function count(
    exchange: Parsed,
    state: LoopState,
    session: SessionName,
    limits: readonly ArrivalLimit[],
    seen: LoopDetector | undefined,
    batch?: Batch,
  ): Promise<FinalVerdict> {
    // Set before the store call, so that the count is undone even if the reply is lost.
    state.counted = limits;
    const counting = store.countArrival(session, state.operationId, limits, blocks, batch);
    state.counting = counting.catch((cause: unknown) => {
      if (cause instanceof BatchAborted) state.counted = [];
    });
    const exceeded = await counting;
    return flagged(exchange, seen === 'fingerprint' ? seen : exceeded.includes(true) ? 'velocity' : seen);
  }

  function flagged(exchange: Parsed, detector: LoopDetector | undefined): FinalVerdict {
    if (detector === undefined) return PASS;
    exchange.responseHeaders.set(HEADER.loopDetected, detector);
    return config.action === 'block' ? loopDenied(detector) : { kind: 'flag', reason: `loop: ${detector}` };
  }

  async function keepCall(state: LoopState, batch: Batch | undefined): Promise<Pass> {
    const { session, kept, operationId, counted, fingerprint } = state;
    if (session === undefined || kept === undefined) return PASS;
    // Counted again, because the first count may have expired with the unanswered session.
    const isLong = counted.some(({ windowMs }) => windowMs > UNANSWERED_LIFE_MS);
    await Promise.all([
      // Repeating the count only changes times.
      isLong ? store.countArrival(session, operationId, counted, false, batch) : undefined,
      fingerprint === undefined ? undefined : store.recordCall(kept, operationId, fingerprint, memory, batch),
    ]);
    state.counted = [];
    return PASS;
  }

  return {
    name,
    shadowable: true,
    repeatable: true,
    begin: () => ({ operationId: newOperationId(), stored: new SessionRead(), counted: [] }),
    prepare(exchange, state, batch) {
      if (!isParsed(exchange))
        return state.stored.readAhead(exchange, batch, (session) => store.readCalls(session, memory));
      const turn = turnSession(exchange);
      const session = turn ?? toolSession(exchange);
      if (session === undefined) return;
      state.session = session;
      const kept = turn ?? toolCallsOf(session);
      state.kept = kept;
      state.stored.read(exchange, () => store.readCalls(kept, memory));
    },
    requestBody: (exchange, state, batch) =>
      state.session === undefined || writtenFact(exchange.facts, 'session') === null
        ? PASS
        : judge(exchange, state, state.session, batch),
    response(exchange, state, batch) {
      return isUnserved(exchange) ? PASS : { kind: 'pending', verdict: keepCall(state, batch) };
    },
    async end(_exchange, _outcome, state) {
      await state.counting;
      const { session, operationId, counted } = state;
      if (session === undefined || counted.length === 0) return;
      try {
        await store.giveBack(session, operationId, counted);
      } catch {
        // The count expires with its window.
      }
    },
  };
}

function loopStepOf(exchange: Parsed): LoopStep {
  const { mcp, request, json } = exchange;
  const tool = calledTool(request.mcp);
  return mcp === undefined || tool === undefined ? latestStep(exchange) : toolStep(mcp.server, tool, json);
}

function toolSession(exchange: Parsed): SessionName | undefined {
  return calledTool(exchange.request.mcp) === undefined ? undefined : mcpSessionOf(exchange);
}

/** Clients retry these failures on their own. */
function isUnserved({ status }: Answered): boolean {
  return status === TOO_MANY_REQUESTS || status >= SERVER_ERROR;
}

function memoryOf({ fingerprint, stall }: LoopDeps['config']): LoopMemory {
  const windowMs = fingerprint.window_seconds * 1_000;
  const stalls = stall.min_hamming_distance > 0;
  return {
    keepMs: stalls ? Math.max(windowMs, STALL_MEMORY_MS) : windowMs,
    maxCalls: Math.max(MAX_CALLS, fingerprint.threshold, stalls ? stall.low_diversity_threshold : 0),
  };
}

const REMEDY: Readonly<Record<LoopDetector, string>> = {
  fingerprint: 'the session repeats the same call; change the request, or wait',
  velocity: 'the session calls too often; slow down',
  stall: 'recent calls are nearly identical; change the request, or start a new session',
};

function loopDenied(detector: LoopDetector): Denial {
  return {
    kind: 'deny',
    type: 'loop_detected',
    message: `loop detected (${detector}): ${REMEDY[detector]}`,
    headers: { [HEADER.loopDetected]: detector },
    findings: [{ rule: 'loop', detector }],
  };
}
