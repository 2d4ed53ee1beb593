import { HEADER } from '../headers.ts';
import {
  type Check,
  type Denial,
  type FinalVerdict,
  type Flag,
  type Pass,
  type Pending,
  type Rewrite,
  PASS_EVENT,
  type StreamAction,
  type StreamRewrite,
  type StreamRewriter,
} from './check.ts';
import type { Admitted, Identified } from './exchange.ts';
import { BatchAborted } from './batch.ts';
import type { Awaitable } from '../turns.ts';

/** The first enforced denial, if any. A promise only if a check waits. */
export type Ruling = Awaitable<Denial | undefined>;

export type ObservedVerdict = Flag | Pick<Rewrite, 'kind' | 'reason'> | Denial;

export interface VerdictObserver {
  verdict(exchange: Admitted, check: string, verdict: ObservedVerdict, enforced: boolean): void;
  /** Called if `enforce` failed; the verdict stands. */
  enforceFailed(exchange: Admitted, check: string, cause: unknown): void;
  /** Called if an `end` hook failed; the exchange is already over. */
  endFailed(exchange: Identified, check: string, cause: unknown): void;
}

export interface PendingCheck {
  readonly check: Check;
  readonly verdict: Pending['verdict'];
}

type Reported = Exclude<FinalVerdict, Pass>;

/** Shadow mode is implemented only here. */
export interface Enforcement {
  settle(exchange: Admitted, check: Check, verdict: Reported): Ruling;
  /** Returns the first enforced denial. If there is none, throws the first failure, preferably not `BatchAborted`. */
  settleAll(exchange: Admitted, pending: readonly PendingCheck[]): Promise<Denial | undefined>;
  /** Wraps a rewriter to record and enforce its verdicts. */
  observed(exchange: Admitted, check: Check, rewriter: StreamRewriter): StreamRewriter;
}

export function createEnforcement(observer: VerdictObserver, shadowMode: boolean): Enforcement {
  const isShadowed = (check: Check): boolean => shadowMode && check.shadowable;

  /** Records a verdict and applies a rewrite. Returns the verdict if it takes effect. */
  function record(exchange: Admitted, check: Check, verdict: Reported): Denial | Rewrite | undefined {
    const enforced = verdict.kind !== 'flag' && !isShadowed(check);
    observer.verdict(exchange, check.name, verdict, enforced);
    if (verdict.kind === 'flag') return undefined;
    if (!enforced) {
      recordShadow(exchange, verdict.kind === 'deny' ? verdict.type : check.name);
      return undefined;
    }
    if (verdict.kind === 'rewrite') verdict.apply();
    return verdict;
  }

  function settle(exchange: Admitted, check: Check, verdict: Reported): Ruling {
    const effective = record(exchange, check, verdict);
    const denial = effective?.kind === 'deny' ? effective : undefined;
    return effective?.enforce === undefined ? denial : enforce(exchange, check, effective).then(() => denial);
  }

  /** Never rejects. */
  async function enforce(exchange: Admitted, check: Check, verdict: Pick<Denial, 'enforce'>): Promise<void> {
    try {
      await verdict.enforce?.();
    } catch (cause) {
      observer.enforceFailed(exchange, check.name, cause);
    }
  }

  async function settleAll(
    exchange: Admitted,
    pending: readonly PendingCheck[],
  ): Promise<Denial | undefined> {
    const known: (FinalVerdict | undefined)[] = [];
    let failure: unknown;
    for (const { verdict } of pending) {
      try {
        known.push(await verdict);
      } catch (cause) {
        known.push(undefined);
        if (failure === undefined || failure instanceof BatchAborted) failure = cause;
      }
    }
    for (const [index, { check }] of pending.entries()) {
      const verdict = known[index];
      if (verdict === undefined || verdict.kind === 'pass') continue;
      const denial = await settle(exchange, check, verdict);
      if (denial !== undefined) return denial;
    }
    if (failure !== undefined) throw failure;
    return undefined;
  }

  return {
    settle,
    settleAll,
    observed: (exchange, check, rewriter) =>
      observedRewriter(rewriter, {
        isShadowed: isShadowed(check),
        observe: (verdict, enforced) => observer.verdict(exchange, check.name, verdict, enforced),
        enforce: (verdict) => enforce(exchange, check, verdict),
      }),
  };
}

function recordShadow(exchange: Admitted, effect: string): void {
  const earlier = exchange.responseHeaders.get(HEADER.shadow);
  exchange.responseHeaders.set(HEADER.shadow, earlier === undefined ? effect : `${earlier}, ${effect}`);
}

interface RewriterWatch {
  readonly isShadowed: boolean;
  readonly observe: (verdict: ObservedVerdict, enforced: boolean) => void;
  readonly enforce: (verdict: Pick<Denial, 'enforce'>) => Promise<void>;
}

function observedRewriter(
  rewriter: StreamRewriter,
  { isShadowed, observe, enforce }: RewriterWatch,
): StreamRewriter {
  let over = false;
  function note(kind: 'rewrite' | 'flag', reason: string | undefined): void {
    if (reason === undefined) return;
    observe({ kind, reason }, kind === 'rewrite' && !isShadowed);
  }
  async function cut(denial: Denial): Promise<void> {
    over = true;
    observe(denial, !isShadowed);
    if (!isShadowed) await enforce(denial);
  }
  function settle(action: StreamAction): StreamAction | Promise<StreamAction> {
    if (action.kind === 'cut') return cut(action.denial).then(() => (isShadowed ? PASS_EVENT : action));
    if (action.kind === 'rewrite') note(changesNothing(action) ? 'flag' : 'rewrite', action.reason);
    if (isShadowed) return PASS_EVENT;
    if (action.kind !== 'rewrite' || action.enforce === undefined) return action;
    return enforce(action).then(() => action);
  }
  return {
    ...((isShadowed || rewriter.readsText === false) && { readsText: false }),
    ...(rewriter.received !== undefined && {
      received(event) {
        if (!over) rewriter.received?.(event);
      },
    }),
    ...(rewriter.event !== undefined && {
      event(event) {
        if (over) return PASS_EVENT;
        const action = rewriter.event?.(event) ?? PASS_EVENT;
        return action instanceof Promise ? action.then(settle) : settle(action);
      },
    }),
    async end() {
      const tail = over ? undefined : await rewriter.end?.();
      if (tail === undefined) return undefined;
      note('rewrite', tail.reason);
      if (tail.cut !== undefined) await cut(tail.cut);
      return isShadowed ? undefined : tail;
    },
    comment: () => (isShadowed ? undefined : rewriter.comment?.()),
  };
}

function changesNothing({ before = [], edits = [], held }: StreamRewrite): boolean {
  return before.length === 0 && edits.length === 0 && held !== true;
}
