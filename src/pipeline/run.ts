import { HEADER } from '../headers.ts';
import { BatchAborted, type Batch } from './batch.ts';
import type {
  Caller,
  Check,
  Denial,
  FinalVerdict,
  Flag,
  Pass,
  Pending,
  Rewrite,
  StreamRewriter,
  Verdict,
} from './check.ts';
import type { Admitted, Answered, Identified, Outcome, Parsed } from './exchange.ts';
import { observedRewriter } from './observed-rewriter.ts';
import { handled, StaleRead } from './read-ahead.ts';
import { isTurnOver, nextTurn } from '../turns.ts';

export type ObservedVerdict = Flag | Pick<Rewrite, 'kind' | 'reason'> | Denial;

/** Receives every verdict that is not a pass. */
export interface VerdictObserver {
  verdict(exchange: Admitted, check: string, verdict: ObservedVerdict, enforced: boolean): void;
  /** The consequences of a denial failed; the denial stands. */
  enforceFailed(exchange: Admitted, check: string, cause: unknown): void;
  /** An `end` hook failed; since the exchange is over, this is only reported. */
  endFailed(exchange: Identified, check: string, cause: unknown): void;
}

export interface RunnerOptions {
  /** In order: the first denial wins (checks/order.ts). */
  readonly checks: readonly Check[];
  /** `server.shadow_mode`: shadowable denials become records. */
  readonly shadowMode: boolean;
  readonly observer: VerdictObserver;
  /** Makes batches for the checks' stores; absent if those answer at once. */
  readonly newBatch?: () => Batch;
  /** Called when a body is judged again, with the name of the check that found stale data. */
  readonly onJudgedAgain?: (by: string) => void;
}

/** The checks of one exchange. Hooks resolve to the first enforced denial, if any. */
export interface Run {
  /** Called first: sends the checks' early reads. */
  prepare(caller: Caller): void;
  admit(exchange: Admitted): Promise<Denial | undefined>;
  requestHeaders(exchange: Identified): Promise<Denial | undefined>;
  requestBody(exchange: Parsed): Promise<Denial | undefined>;
  response(exchange: Answered): Promise<Denial | undefined>;
  rewriters(exchange: Answered): StreamRewriter[];
  /** Runs every `end` hook once, in reverse order; a second call does nothing. */
  end(exchange: Identified, outcome: Outcome): Promise<void>;
}

type Hook = 'admit' | 'requestHeaders' | 'requestBody' | 'response';

/** A check with a given hook. */
interface Hooked {
  /** Index of its state. */
  readonly index: number;
  readonly check: Check;
}

/** Calls the checks: order, first denial wins, shadow mode and records are implemented only here. */
export function createRunner(options: RunnerOptions): () => Run {
  const { checks, observer, newBatch } = options;
  const having = (hook: keyof Check): Hooked[] =>
    [...checks.entries()].flatMap(([index, check]) => (check[hook] === undefined ? [] : [{ index, check }]));
  const judging = {
    admit: having('admit'),
    requestHeaders: having('requestHeaders'),
    requestBody: having('requestBody').filter(({ check }) => check.judgesLast !== true),
    response: having('response'),
  };
  const judgingLast = having('requestBody').filter(({ check }) => check.judgesLast === true);
  const preparing = having('prepare');
  const ending = having('end').reverse();
  return () => {
    const states = checks.map((check) => check.begin?.());
    let ended = false;

    function prepare(request: Caller | Parsed): void {
      const batch = newBatch?.();
      for (const { index, check } of preparing) check.prepare?.(request, states[index], batch);
      batch?.send();
    }

    /** Judges by data that was read ahead, and again by current data if that is stale. */
    async function judgeBody(exchange: Parsed): Promise<Denial | undefined> {
      const done = new Set<Check>();
      const pending: PendingCheck[] = [];
      prepare(exchange);
      try {
        return await judge('requestBody', exchange, { pending, done });
      } catch (cause) {
        if (!(cause instanceof StaleRead)) throw cause;
        options.onJudgedAgain?.(cause.by);
      }
      // Aborted operations must be forgotten before they are requested again.
      await Promise.allSettled(pending.map(({ verdict }) => verdict));
      prepare(exchange);
      return judge('requestBody', exchange, { done });
    }

    async function judge<X extends Admitted>(
      hook: Hook,
      exchange: X,
      { hooked = judging[hook], pending = [], done = new Set() }: Judging = {},
    ): Promise<Denial | undefined> {
      const batch = newBatch?.();
      const isAnswer = hook === 'response';
      let standing: Denial | undefined;
      let isOver = true;
      try {
        standing = await firstDenial(hook, exchange, batch, { hooked, pending, done });
        isOver = standing !== undefined;
      } finally {
        // A denied request takes nothing; a withheld answer still counts.
        if (isOver && !isAnswer) batch?.drop();
        else batch?.send();
      }
      if (isOver && !isAnswer) return standing;
      return pending.length === 0 ? standing : ((await firstRefusal(exchange, pending)) ?? standing);
    }

    async function firstDenial<X extends Admitted>(
      hook: Hook,
      exchange: X,
      batch: Batch | undefined,
      { hooked, pending, done }: Required<Judging>,
    ): Promise<Denial | undefined> {
      const isLong = hasManyTexts(exchange);
      for (const { index, check } of hooked) {
        // Each check may need half a turn for them.
        if (isLong && isTurnOver()) await nextTurn();
        if (done.has(check)) continue;
        const call = check[hook] as (
          exchange: X,
          state: unknown,
          batch?: Batch,
        ) => Verdict | Promise<Verdict>;
        const result = call.call(check, exchange, states[index], batch);
        const verdict = result instanceof Promise ? await result : result;
        if (check.repeatable === undefined && verdict.kind !== 'pending') done.add(check);
        if (verdict.kind === 'pass') continue;
        if (verdict.kind === 'pending') {
          pending.push({ check, verdict: handled(verdict.verdict) });
          continue;
        }
        if (check.repeatable === true && exchange.facts.isReadAhead === true) throw new StaleRead(check.name);
        const standing = await settle(exchange, check, verdict);
        if (standing !== undefined) return standing;
      }
      return undefined;
    }

    /** Waits for all stores. */
    async function firstRefusal(
      exchange: Admitted,
      pending: readonly PendingCheck[],
    ): Promise<Denial | undefined> {
      const known = await Promise.allSettled(pending.map(({ verdict }) => verdict));
      let failure: unknown;
      for (const [index, result] of known.entries()) {
        const check = pending[index]?.check;
        if (result.status === 'rejected') {
          if (failure === undefined || failure instanceof BatchAborted) failure = result.reason;
        } else if (check !== undefined && result.value.kind !== 'pass') {
          const standing = await settle(exchange, check, result.value);
          if (standing !== undefined) return standing;
        }
      }
      if (failure !== undefined) throw failure;
      return undefined;
    }

    /** Records and enforces a verdict; returns an enforced denial. */
    async function settle(exchange: Admitted, check: Check, verdict: Reported): Promise<Denial | undefined> {
      const standing = record(exchange, check, verdict);
      if (standing?.enforce !== undefined) await enforce(exchange, check, standing);
      return standing?.kind === 'deny' ? standing : undefined;
    }

    /** Records a verdict and applies a rewrite; returns what takes effect. */
    function record(exchange: Admitted, check: Check, verdict: Reported): Denial | Rewrite | undefined {
      const enforced = verdict.kind !== 'flag' && !(options.shadowMode && check.shadowable);
      observer.verdict(exchange, check.name, verdict, enforced);
      if (verdict.kind === 'flag') return undefined;
      if (!enforced) {
        recordShadow(exchange, verdict.kind === 'deny' ? verdict.type : check.name);
        return undefined;
      }
      if (verdict.kind === 'rewrite') verdict.apply();
      return verdict;
    }

    async function enforce(
      exchange: Admitted,
      check: Check,
      { enforce }: Pick<Denial, 'enforce'>,
    ): Promise<void> {
      try {
        await enforce?.();
      } catch (cause) {
        observer.enforceFailed(exchange, check.name, cause);
      }
    }

    function watched(exchange: Answered, check: Check, rewriter: StreamRewriter): StreamRewriter {
      return observedRewriter(rewriter, {
        isShadowed: options.shadowMode && check.shadowable,
        observe: (verdict, enforced) => observer.verdict(exchange, check.name, verdict, enforced),
        enforce: (verdict) => enforce(exchange, check, verdict),
      });
    }

    return {
      prepare,
      admit: (exchange) => judge('admit', exchange),
      requestHeaders: (exchange) => judge('requestHeaders', exchange),
      requestBody: async (exchange) =>
        (await judgeBody(exchange)) ?? judge('requestBody', exchange, { hooked: judgingLast }),
      response: (exchange) => judge('response', exchange),
      rewriters: (exchange) =>
        checks.flatMap((check, index) => {
          const rewriter = check.stream?.(exchange, states[index]);
          return rewriter === undefined ? [] : watched(exchange, check, rewriter);
        }),
      async end(exchange, outcome) {
        if (ended) return;
        ended = true;
        for (const { index, check } of ending) {
          try {
            await check.end?.(exchange, outcome, states[index]);
          } catch (cause) {
            observer.endFailed(exchange, check.name, cause);
          }
        }
      },
    };
  };
}

type Reported = Exclude<FinalVerdict, Pass>;

interface Judging {
  readonly hooked?: readonly Hooked[];
  /** Collects verdicts that stores decide. */
  readonly pending?: PendingCheck[];
  /** Checks that need not judge again. */
  readonly done?: Set<Check>;
}

interface PendingCheck {
  readonly check: Check;
  readonly verdict: Pending['verdict'];
}

/** Iterating over more takes a check milliseconds, whatever the texts contain. */
const MANY_TEXTS = 4_096;

function hasManyTexts(exchange: Admitted | Parsed): boolean {
  return 'request' in exchange && exchange.request.texts.length > MANY_TEXTS;
}

function recordShadow(exchange: Admitted, what: string): void {
  const before = exchange.responseHeaders.get(HEADER.shadow);
  exchange.responseHeaders.set(HEADER.shadow, before === undefined ? what : `${before}, ${what}`);
}
