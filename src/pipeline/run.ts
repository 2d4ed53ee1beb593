import { HEADER } from '../headers.ts';
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
import { JudgeAgain, NotDone, type Phase } from './phase.ts';
import { isTurnOver, nextTurn } from '../turns.ts';

export type ObservedVerdict = Flag | Pick<Rewrite, 'kind' | 'reason'> | Denial;

/** What the runner tells the outside about each verdict that is not a pass. */
export interface VerdictObserver {
  verdict(exchange: Admitted, check: string, verdict: ObservedVerdict, enforced: boolean): void;
  /** What goes with a denial could not be done; the denial stands. */
  enforceFailed(exchange: Admitted, check: string, cause: unknown): void;
  /** A check's `end` hook failed; the exchange is over, so this is only reported. */
  endFailed(exchange: Identified, check: string, cause: unknown): void;
}

export interface RunnerOptions {
  /** In order: the first denial wins (checks/order.ts). */
  readonly checks: readonly Check[];
  /** `server.shadow_mode`: shadowable denials become records. */
  readonly shadowMode: boolean;
  readonly observer: VerdictObserver;
  /** Of the stores that the checks ask; left out where they answer at once. */
  readonly newPhase?: () => Phase;
  /** A body is judged a second time, because of the check of this name. */
  readonly onJudgedAgain?: (by: string) => void;
}

/** The checks' part in one exchange; each hook resolves to the first denial that stands, if any. */
export interface Run {
  /** Once, before all others: sends what the checks ask of their stores. */
  identify(caller: Caller): void;
  admit(exchange: Admitted): Promise<Denial | undefined>;
  requestHeaders(exchange: Identified): Promise<Denial | undefined>;
  requestBody(exchange: Parsed): Promise<Denial | undefined>;
  response(exchange: Answered): Promise<Denial | undefined>;
  rewriters(exchange: Answered): StreamRewriter[];
  /** Runs every `end` hook once, in reverse order; a second call does nothing. */
  end(exchange: Identified, outcome: Outcome): Promise<void>;
}

type Hook = 'admit' | 'requestHeaders' | 'requestBody' | 'forwarding' | 'response';

/** A check that has the hook in question. */
interface Hooked {
  /** Of its state. */
  readonly index: number;
  readonly check: Check;
}

/**
 * The one place where checks are called: order, first-denial-wins, shadow mode and records are here and nowhere
 * else.
 */
export function createRunner(options: RunnerOptions): () => Run {
  const { checks, observer, newPhase } = options;
  const having = (hook: keyof Check): Hooked[] =>
    [...checks.entries()].flatMap(([index, check]) => (check[hook] === undefined ? [] : [{ index, check }]));
  const judging = {
    admit: having('admit'),
    requestHeaders: having('requestHeaders'),
    requestBody: having('requestBody'),
    forwarding: having('forwarding'),
    response: having('response'),
  };
  const identifying = having('identify');
  const preparing = having('prepare');
  const ending = having('end').reverse();
  return () => {
    const states = checks.map((check) => check.begin?.());
    let ended = false;

    function prepare(exchange: Parsed): void {
      const phase = newPhase?.();
      for (const { index, check } of preparing) check.prepare?.(exchange, states[index], phase);
      phase?.send();
    }

    /** By what was read ahead, as long as that will do. */
    async function judgeBody(exchange: Parsed): Promise<Denial | undefined> {
      const done = new Set<Check>();
      const pending: PendingCheck[] = [];
      prepare(exchange);
      try {
        return await judge('requestBody', exchange, pending, done);
      } catch (cause) {
        if (!(cause instanceof JudgeAgain)) throw cause;
        options.onJudgedAgain?.(cause.by);
      }
      // What was not done is forgotten before it is asked for once more.
      await Promise.allSettled(pending.map(({ verdict }) => verdict));
      prepare(exchange);
      return judge('requestBody', exchange, [], done);
    }

    /**
     * @param pending verdicts that stores decide are added to it
     * @param done checks that need not judge once more
     */
    async function judge<X extends Admitted>(
      hook: Hook,
      exchange: X,
      pending: PendingCheck[] = [],
      done: Set<Check> = new Set(),
    ): Promise<Denial | undefined> {
      const phase = newPhase?.();
      const isAnswer = hook === 'response';
      let standing: Denial | undefined;
      let isOver = true;
      try {
        standing = await firstDenial(hook, exchange, phase, pending, done);
        isOver = standing !== undefined;
      } finally {
        // For what is not forwarded nothing is taken; an answer that is withheld was given all the same.
        if (isOver && !isAnswer) phase?.drop();
        else phase?.send();
      }
      if (isOver && !isAnswer) return standing;
      return pending.length === 0 ? standing : ((await firstRefusal(exchange, pending)) ?? standing);
    }

    async function firstDenial<X extends Admitted>(
      hook: Hook,
      exchange: X,
      phase: Phase | undefined,
      pending: PendingCheck[],
      done: Set<Check>,
    ): Promise<Denial | undefined> {
      const isLong = hasManyTexts(exchange);
      for (const { index, check } of judging[hook]) {
        // Each may need half a turn for them.
        if (isLong && isTurnOver()) await nextTurn();
        if (done.has(check)) continue;
        const call = check[hook] as (
          exchange: X,
          state: unknown,
          phase?: Phase,
        ) => Verdict | Promise<Verdict>;
        const result = call.call(check, exchange, states[index], phase);
        const verdict = result instanceof Promise ? await result : result;
        if (check.repeatable === undefined && verdict.kind !== 'pending') done.add(check);
        if (verdict.kind === 'pass') continue;
        if (verdict.kind === 'pending') {
          pending.push({ check, verdict: heard(verdict.verdict) });
          continue;
        }
        if (check.repeatable === true && exchange.facts.isReadAhead === true)
          throw new JudgeAgain(check.name);
        const standing = await stand(exchange, check, verdict);
        if (standing !== undefined) return standing;
      }
      return undefined;
    }

    /** Waits for all of them. */
    async function firstRefusal(
      exchange: Admitted,
      pending: readonly PendingCheck[],
    ): Promise<Denial | undefined> {
      const known = await Promise.allSettled(pending.map(({ verdict }) => verdict));
      let failure: unknown;
      for (const [index, result] of known.entries()) {
        const check = pending[index]?.check;
        if (result.status === 'rejected') {
          if (failure === undefined || failure instanceof NotDone) failure = result.reason;
        } else if (check !== undefined && result.value.kind !== 'pass') {
          const standing = await stand(exchange, check, result.value);
          if (standing !== undefined) return standing;
        }
      }
      if (failure !== undefined) throw failure;
      return undefined;
    }

    async function stand(exchange: Admitted, check: Check, verdict: Told): Promise<Denial | undefined> {
      const standing = settleVerdict(exchange, check, verdict);
      if (standing?.enforce !== undefined) await enforce(exchange, check, standing);
      return standing?.kind === 'deny' ? standing : undefined;
    }

    /** Records a verdict; does what a rewrite asks for; returns what is not only recorded. */
    function settleVerdict(exchange: Admitted, check: Check, verdict: Told): Denial | Rewrite | undefined {
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
      identify(caller) {
        const phase = newPhase?.();
        for (const { index, check } of identifying) check.identify?.(caller, states[index], phase);
        phase?.send();
      },
      admit: (exchange) => judge('admit', exchange),
      requestHeaders: (exchange) => judge('requestHeaders', exchange),
      requestBody: async (exchange) => (await judgeBody(exchange)) ?? judge('forwarding', exchange),
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

/** A verdict that says something. */
type Told = Exclude<FinalVerdict, Pass>;

interface PendingCheck {
  readonly check: Check;
  readonly verdict: Pending['verdict'];
}

/** Where a later hook fails first, nobody waits for it. */
function heard<T>(verdict: Promise<T>): Promise<T> {
  verdict.catch(() => undefined);
  return verdict;
}

/** To go over more of them, whatever is in them, takes a check milliseconds. */
const MANY_TEXTS = 4_096;

function hasManyTexts(exchange: Admitted | Parsed): boolean {
  return 'request' in exchange && exchange.request.texts.length > MANY_TEXTS;
}

function recordShadow(exchange: Admitted, what: string): void {
  const before = exchange.responseHeaders.get(HEADER.shadow);
  exchange.responseHeaders.set(HEADER.shadow, before === undefined ? what : `${before}, ${what}`);
}
