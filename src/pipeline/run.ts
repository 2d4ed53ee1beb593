import type { Caller, Check, Denial, StreamRewriter, Verdict } from './check.ts';
import type { Admitted, Answered, Identified, Outcome, Parsed } from './exchange.ts';
import { createEnforcement, type PendingCheck, type Ruling, type VerdictObserver } from './enforcement.ts';
import type { Batch } from './batch.ts';
import { handled, StaleRead } from './read-ahead.ts';
import { after, isTurnOver, nextTurn, type Awaitable } from '../turns.ts';

export interface RunnerOptions {
  readonly checks: readonly Check[];
  /** `server.shadow_mode`: shadowable denials become records. */
  readonly shadowMode: boolean;
  readonly observer: VerdictObserver;
  /** Creates batches for the checks' stores. Absent if the stores answer immediately. */
  readonly newBatch?: () => Batch;
  /** Called when a body is judged again, with the name of the check that found stale data. */
  readonly onJudgedAgain?: (by: string) => void;
}

export interface Run {
  /** Must be called first. Sends the checks' early reads. */
  prepare(caller: Caller): void;
  admit(exchange: Admitted): Ruling;
  requestHeaders(exchange: Identified): Ruling;
  requestBody(exchange: Parsed): Ruling;
  response(exchange: Answered): Ruling;
  rewriters(exchange: Answered): StreamRewriter[];
  /** Runs every `end` hook once, in reverse order; a second call does nothing. */
  end(exchange: Identified, outcome: Outcome): Promise<void>;
}

type Hook = 'admit' | 'requestHeaders' | 'requestBody' | 'response';

interface Hooked {
  readonly index: number;
  readonly check: Check;
}

interface Judgement<X extends Admitted> {
  readonly hook: Hook;
  readonly hooked: readonly Hooked[];
  readonly exchange: X;
  readonly pending: PendingCheck[];
  /** Checks that need not judge again. Undefined for hooks that are never repeated. */
  readonly done: Set<Check> | undefined;
}

/** Order and first-denial-wins are implemented only here. */
export function createRunner(options: RunnerOptions): () => Run {
  const { checks, observer, newBatch } = options;
  const enforcement = createEnforcement(observer, options.shadowMode);
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

    /** Judges with data read ahead, and again with current data if the former was stale. */
    function judgeBody(exchange: Parsed): Ruling {
      const first: Judgement<Parsed> = {
        hook: 'requestBody',
        hooked: judging.requestBody,
        exchange,
        pending: [],
        done: new Set(),
      };
      prepare(exchange);
      try {
        const ruling = judge(first);
        return ruling instanceof Promise
          ? ruling.catch((cause: unknown) => judgeBodyAgain(first, cause))
          : ruling;
      } catch (cause) {
        return judgeBodyAgain(first, cause);
      }
    }

    async function judgeBodyAgain(first: Judgement<Parsed>, cause: unknown): Promise<Denial | undefined> {
      if (!(cause instanceof StaleRead)) throw cause;
      options.onJudgedAgain?.(cause.by);
      // Aborted operations must settle before they are repeated.
      await Promise.allSettled(first.pending.map(({ verdict }) => verdict));
      prepare(first.exchange);
      return judge({ ...first, pending: [] });
    }

    function judgeHook<X extends Admitted>(hook: Hook, exchange: X, hooked = judging[hook]): Ruling {
      if (hooked.length === 0) return undefined;
      return judge({ hook, hooked, exchange, pending: [], done: undefined });
    }

    function judge<X extends Admitted>(judgement: Judgement<X>): Ruling {
      const batch = newBatch?.();
      function fail(cause: unknown): never {
        closeBatch(judgement.hook, batch, true);
        throw cause;
      }
      let ruling: Ruling;
      try {
        ruling = firstDenial(judgement, batch, 0);
      } catch (cause) {
        return fail(cause);
      }
      return ruling instanceof Promise
        ? ruling.then((denial) => conclude(judgement, batch, denial), fail)
        : conclude(judgement, batch, ruling);
    }

    function conclude<X extends Admitted>(
      { hook, exchange, pending }: Judgement<X>,
      batch: Batch | undefined,
      denial: Denial | undefined,
    ): Ruling {
      const isOver = denial !== undefined;
      closeBatch(hook, batch, isOver);
      if (pending.length === 0 || (isOver && hook !== 'response')) return denial;
      return enforcement.settleAll(exchange, pending).then((refusal) => refusal ?? denial);
    }

    /** Calls the checks, starting at index `from`, and awaits only asynchronous ones. */
    function firstDenial<X extends Admitted>(
      judgement: Judgement<X>,
      batch: Batch | undefined,
      from: number,
    ): Ruling {
      const { hooked, exchange, done } = judgement;
      const isLong = hasManyTexts(exchange);
      for (let at = from; at < hooked.length; at++) {
        const entry = hooked[at];
        if (entry === undefined || done?.has(entry.check) === true) continue;
        // With very many texts, each check may take half an event-loop turn.
        const verdict =
          isLong && isTurnOver()
            ? nextTurn().then(() => verdictOf(entry, judgement, batch))
            : verdictOf(entry, judgement, batch);
        if (verdict instanceof Promise) {
          return verdict.then((known) =>
            after(settle(judgement, entry.check, known), orNext(judgement, batch, at)),
          );
        }
        const ruling = settle(judgement, entry.check, verdict);
        if (ruling instanceof Promise) return ruling.then(orNext(judgement, batch, at));
        if (ruling !== undefined) return ruling;
      }
      return undefined;
    }

    function orNext<X extends Admitted>(judgement: Judgement<X>, batch: Batch | undefined, at: number) {
      return (denial: Denial | undefined): Ruling => denial ?? firstDenial(judgement, batch, at + 1);
    }

    function verdictOf<X extends Admitted>(
      { index, check }: Hooked,
      { hook, exchange }: Judgement<X>,
      batch: Batch | undefined,
    ): Awaitable<Verdict> {
      const judgeExchange = check[hook] as (exchange: X, state: unknown, batch?: Batch) => Awaitable<Verdict>;
      return judgeExchange.call(check, exchange, states[index], batch);
    }

    function settle<X extends Admitted>(
      { exchange, pending, done }: Judgement<X>,
      check: Check,
      verdict: Verdict,
    ): Ruling {
      if (check.repeatable === undefined && verdict.kind !== 'pending') done?.add(check);
      if (verdict.kind === 'pass') return undefined;
      if (verdict.kind === 'pending') {
        pending.push({ check, verdict: handled(verdict.verdict) });
        return undefined;
      }
      if (check.repeatable === true && exchange.facts.isReadAhead === true) throw new StaleRead(check.name);
      return enforcement.settle(exchange, check, verdict);
    }

    return {
      prepare,
      admit: (exchange) => judgeHook('admit', exchange),
      requestHeaders: (exchange) => judgeHook('requestHeaders', exchange),
      requestBody: (exchange) =>
        after(judgeBody(exchange), (denial) => denial ?? judgeHook('requestBody', exchange, judgingLast)),
      response: (exchange) => judgeHook('response', exchange),
      rewriters: (exchange) =>
        checks.flatMap((check, index) => {
          const rewriter = check.stream?.(exchange, states[index]);
          return rewriter === undefined ? [] : enforcement.observed(exchange, check, rewriter);
        }),
      async end(exchange, outcome) {
        if (ended) return;
        ended = true;
        for (const { index, check } of ending) {
          try {
            const running = check.end?.(exchange, outcome, states[index]);
            if (running instanceof Promise) await running;
          } catch (cause) {
            observer.endFailed(exchange, check.name, cause);
          }
        }
      },
    };
  };
}

/** A denied request must not reserve anything, but a withheld answer still counts. */
function closeBatch(hook: Hook, batch: Batch | undefined, isOver: boolean): void {
  if (isOver && hook !== 'response') batch?.drop();
  else batch?.send();
}

/** Above this number, iterating over the texts takes milliseconds per check, whatever their content. */
const MANY_TEXTS = 4_096;

function hasManyTexts(exchange: Admitted | Parsed): boolean {
  return 'request' in exchange && exchange.request.texts.length > MANY_TEXTS;
}
