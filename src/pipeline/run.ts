import { HEADER } from '../headers.ts';
import type { Check, CheckName, Denial, StreamRewriter, Verdict } from './check.ts';
import type { Answered, Identified, Outcome, Parsed } from './exchange.ts';

/** What the runner tells the outside about each verdict that is not a pass. */
export interface VerdictObserver {
  verdict(
    exchange: Identified,
    check: CheckName,
    verdict: Exclude<Verdict, { kind: 'pass' }>,
    enforced: boolean,
  ): void;
  /** A check's `end` hook failed; the exchange is over, so this is only reported. */
  endFailed(exchange: Identified, check: CheckName, cause: unknown): void;
}

export interface RunnerOptions {
  /** In order: the first denial wins (checks/order.ts). */
  readonly checks: readonly Check[];
  /** `server.shadow_mode`: shadowable denials become records. */
  readonly shadowMode: boolean;
  readonly observer: VerdictObserver;
}

/** The checks' part in one exchange; each hook resolves to the first denial that stands, if any. */
export interface Run {
  requestHeaders(exchange: Identified): Promise<Denial | undefined>;
  requestBody(exchange: Parsed): Promise<Denial | undefined>;
  response(exchange: Answered): Promise<Denial | undefined>;
  rewriters(exchange: Answered): StreamRewriter[];
  /** Runs every `end` hook once, in reverse order; a second call does nothing. */
  end(exchange: Identified, outcome: Outcome): Promise<void>;
}

type Hook = 'requestHeaders' | 'requestBody' | 'response';

/**
 * The one place where checks are called: order, first-denial-wins, shadow mode and records are here and nowhere
 * else.
 */
export function createRunner(options: RunnerOptions): () => Run {
  const { checks, observer } = options;
  return () => {
    const states = checks.map((check) => check.begin?.());
    let ended = false;

    async function judge<X extends Identified>(hook: Hook, exchange: X): Promise<Denial | undefined> {
      for (const [index, check] of checks.entries()) {
        const call = check[hook] as ((exchange: X, state: unknown) => Verdict | Promise<Verdict>) | undefined;
        if (call === undefined) continue;
        const result = call.call(check, exchange, states[index]);
        const verdict = result instanceof Promise ? await result : result;
        if (verdict.kind === 'pass') continue;
        const enforced = verdict.kind === 'deny' && !(options.shadowMode && check.shadowable);
        observer.verdict(exchange, check.name, verdict, enforced);
        if (verdict.kind !== 'deny') continue;
        if (enforced) return verdict;
        recordShadow(exchange, verdict);
      }
      return undefined;
    }

    return {
      requestHeaders: (exchange) => judge('requestHeaders', exchange),
      requestBody(exchange) {
        for (const [index, check] of checks.entries()) check.prepare?.(exchange, states[index]);
        return judge('requestBody', exchange);
      },
      response: (exchange) => judge('response', exchange),
      rewriters: (exchange) =>
        checks.flatMap((check, index) => check.stream?.(exchange, states[index]) ?? []),
      async end(exchange, outcome) {
        if (ended) return;
        ended = true;
        for (let index = checks.length - 1; index >= 0; index--) {
          const check = checks[index];
          try {
            await check?.end?.(exchange, outcome, states[index]);
          } catch (cause) {
            if (check !== undefined) observer.endFailed(exchange, check.name, cause);
          }
        }
      },
    };
  };
}

function recordShadow(exchange: Identified, denial: Denial): void {
  const before = exchange.responseHeaders.get(HEADER.shadow);
  exchange.responseHeaders.set(
    HEADER.shadow,
    before === undefined ? denial.type : `${before}, ${denial.type}`,
  );
}
