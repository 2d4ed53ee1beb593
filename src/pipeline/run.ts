import type { Caller, Check, Denial, StreamRewriter, Verdict } from './check.ts';
import type { Admitted, Answered, Identified, Outcome, Parsed } from './exchange.ts';
import { observedRewriter } from './observed-rewriter.ts';
import type { Batch } from './batch.ts';
import { handled, StaleRead } from './read-ahead.ts';
import { createStand, type PendingCheck, type Standing, type VerdictObserver } from './stand.ts';
import { isTurnOver, nextTurn } from '../turns.ts';

export interface RunnerOptions {
  /** In order (checks/order.ts). */
  readonly checks: readonly Check[];
  /** `server.shadow_mode`: shadowable denials become records. */
  readonly shadowMode: boolean;
  readonly observer: VerdictObserver;
  /** Makes batches for the checks' stores; absent if those answer at once. */
  readonly newBatch?: () => Batch;
  /** Called when a body is judged again, with the name of the check that found stale data. */
  readonly onJudgedAgain?: (by: string) => void;
}

/** The checks of one exchange. Hooks return the first enforced denial, if any. */
export interface Run {
  /** Called first: sends the checks' early reads. */
  prepare(caller: Caller): void;
  admit(exchange: Admitted): Standing;
  requestHeaders(exchange: Identified): Standing;
  requestBody(exchange: Parsed): Standing;
  response(exchange: Answered): Standing;
  rewriters(exchange: Answered): StreamRewriter[];
  /** Runs every `end` hook once, in reverse order; a second call does nothing. */
  end(exchange: Identified, outcome: Outcome): Promise<void>;
}

type Hook = 'admit' | 'requestHeaders' | 'requestBody' | 'response';

interface Hooked {
  /** Index of its state. */
  readonly index: number;
  readonly check: Check;
}

interface Judgement<X extends Admitted> {
  readonly hook: Hook;
  readonly hooked: readonly Hooked[];
  readonly exchange: X;
  /** Verdicts that stores decide. */
  readonly pending: PendingCheck[];
  /** Checks that need not judge again; undefined if none ever judges again. */
  readonly done: Set<Check> | undefined;
}

/** Runs the checks. Order and first denial wins are implemented only here. */
export function createRunner(options: RunnerOptions): () => Run {
  const { checks, observer, newBatch } = options;
  const stand = createStand(observer, options.shadowMode);
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
    function judgeBody(exchange: Parsed): Standing {
      const first: Judgement<Parsed> = {
        hook: 'requestBody',
        hooked: judging.requestBody,
        exchange,
        pending: [],
        done: new Set(),
      };
      prepare(exchange);
      try {
        const standing = judge(first);
        return standing instanceof Promise
          ? standing.catch((cause: unknown) => judgeBodyAgain(first, cause))
          : standing;
      } catch (cause) {
        return judgeBodyAgain(first, cause);
      }
    }

    async function judgeBodyAgain(first: Judgement<Parsed>, cause: unknown): Promise<Denial | undefined> {
      if (!(cause instanceof StaleRead)) throw cause;
      options.onJudgedAgain?.(cause.by);
      // Aborted operations must be forgotten before they are requested again.
      await Promise.allSettled(first.pending.map(({ verdict }) => verdict));
      prepare(first.exchange);
      return judge({ ...first, pending: [] });
    }

    function judgeHook<X extends Admitted>(hook: Hook, exchange: X, hooked = judging[hook]): Standing {
      if (hooked.length === 0) return undefined;
      return judge({ hook, hooked, exchange, pending: [], done: undefined });
    }

    function judge<X extends Admitted>(judgement: Judgement<X>): Standing {
      const batch = newBatch?.();
      let standing: Standing;
      try {
        standing = firstDenial(judgement, batch, 0);
      } catch (cause) {
        closeBatch(judgement.hook, batch, true);
        throw cause;
      }
      return standing instanceof Promise
        ? concludeLater(judgement, batch, standing)
        : conclude(judgement, batch, standing);
    }

    async function concludeLater<X extends Admitted>(
      judgement: Judgement<X>,
      batch: Batch | undefined,
      deciding: Promise<Denial | undefined>,
    ): Promise<Denial | undefined> {
      let standing: Denial | undefined;
      try {
        standing = await deciding;
      } catch (cause) {
        closeBatch(judgement.hook, batch, true);
        throw cause;
      }
      return conclude(judgement, batch, standing);
    }

    /** Sends the batch, and waits for the verdicts that stores decide. */
    function conclude<X extends Admitted>(
      { hook, exchange, pending }: Judgement<X>,
      batch: Batch | undefined,
      standing: Denial | undefined,
    ): Standing {
      const isOver = standing !== undefined;
      closeBatch(hook, batch, isOver);
      if (pending.length === 0 || (isOver && hook !== 'response')) return standing;
      return stand.all(exchange, pending).then((refusal) => refusal ?? standing);
    }

    /** Calls the checks from an index on, and waits only for asynchronous ones. */
    function firstDenial<X extends Admitted>(
      judgement: Judgement<X>,
      batch: Batch | undefined,
      from: number,
    ): Standing {
      const { hooked, exchange, done } = judgement;
      const isLong = hasManyTexts(exchange);
      for (let at = from; at < hooked.length; at++) {
        const one = hooked[at];
        if (one === undefined || done?.has(one.check) === true) continue;
        // Each check may need half a turn for them.
        const verdict =
          isLong && isTurnOver()
            ? nextTurn().then(() => ask(one, judgement, batch))
            : ask(one, judgement, batch);
        if (verdict instanceof Promise) return goOn(judgement, batch, at, verdict);
        const standing = hear(judgement, one.check, verdict);
        if (standing instanceof Promise)
          return standing.then((denial) => denial ?? firstDenial(judgement, batch, at + 1));
        if (standing !== undefined) return standing;
      }
      return undefined;
    }

    /** Waits for a verdict, then calls the checks after it. */
    async function goOn<X extends Admitted>(
      judgement: Judgement<X>,
      batch: Batch | undefined,
      at: number,
      waiting: Promise<Verdict>,
    ): Promise<Denial | undefined> {
      const verdict = await waiting;
      const check = judgement.hooked[at]?.check;
      const standing = check && hear(judgement, check, verdict);
      const denial = standing instanceof Promise ? await standing : standing;
      return denial ?? firstDenial(judgement, batch, at + 1);
    }

    function ask<X extends Admitted>(
      { index, check }: Hooked,
      { hook, exchange }: Judgement<X>,
      batch: Batch | undefined,
    ): Verdict | Promise<Verdict> {
      const call = check[hook] as (exchange: X, state: unknown, batch?: Batch) => Verdict | Promise<Verdict>;
      return call.call(check, exchange, states[index], batch);
    }

    function hear<X extends Admitted>(
      { exchange, pending, done }: Judgement<X>,
      check: Check,
      verdict: Verdict,
    ): Standing {
      if (check.repeatable === undefined && verdict.kind !== 'pending') done?.add(check);
      if (verdict.kind === 'pass') return undefined;
      if (verdict.kind === 'pending') {
        pending.push({ check, verdict: handled(verdict.verdict) });
        return undefined;
      }
      if (check.repeatable === true && exchange.facts.isReadAhead === true) throw new StaleRead(check.name);
      return stand.one(exchange, check, verdict);
    }

    function watched(exchange: Answered, check: Check, rewriter: StreamRewriter): StreamRewriter {
      return observedRewriter(rewriter, {
        isShadowed: stand.isShadowed(check),
        observe: (verdict, enforced) => observer.verdict(exchange, check.name, verdict, enforced),
        enforce: (verdict) => stand.enforce(exchange, check, verdict),
      });
    }

    return {
      prepare,
      admit: (exchange) => judgeHook('admit', exchange),
      requestHeaders: (exchange) => judgeHook('requestHeaders', exchange),
      requestBody(exchange) {
        const standing = judgeBody(exchange);
        return standing instanceof Promise
          ? standing.then((denial) => denial ?? judgeHook('requestBody', exchange, judgingLast))
          : (standing ?? judgeHook('requestBody', exchange, judgingLast));
      },
      response: (exchange) => judgeHook('response', exchange),
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
            const ends = check.end?.(exchange, outcome, states[index]);
            if (ends instanceof Promise) await ends;
          } catch (cause) {
            observer.endFailed(exchange, check.name, cause);
          }
        }
      },
    };
  };
}

/** A denied request takes nothing, but a withheld answer still counts. */
function closeBatch(hook: Hook, batch: Batch | undefined, isOver: boolean): void {
  if (isOver && hook !== 'response') batch?.drop();
  else batch?.send();
}

/** Iterating over more takes a check milliseconds, whatever the texts contain. */
const MANY_TEXTS = 4_096;

function hasManyTexts(exchange: Admitted | Parsed): boolean {
  return 'request' in exchange && exchange.request.texts.length > MANY_TEXTS;
}
