import { SpanKind, SpanStatusCode, type Span } from '@opentelemetry/api';
import type { Check } from '../pipeline/check.ts';
import type { RequestTraces } from './request-traces.ts';

/** Hooks in which a check judges or settles. */
const HOOKS = ['admit', 'requestHeaders', 'requestBody', 'response', 'end'] as const;

type Hook = (...args: unknown[]) => unknown;

/** Wraps a check so that each hook call gets a span. */
export function watchedCheck(check: Check, traces: Pick<RequestTraces, 'child' | 'within'>): Check {
  // Other members resolve to the check itself through the prototype.
  const watched = Object.create(check) as Record<string, Hook>;
  for (const name of HOOKS) {
    const hook = check[name] as Hook | undefined;
    if (hook === undefined) continue;
    watched[name] = (...args) => {
      const attributes = { 'gateway.check.name': check.name, 'gateway.check.hook': name };
      const span = traces.child(`check ${check.name}`, SpanKind.INTERNAL, attributes);
      if (span === undefined) return hook.apply(check, args);
      return traces.within(span, () => recordVerdict(span, () => hook.apply(check, args)));
    };
  }
  return watched as unknown as Check;
}

/** Ends the span once the verdict is known. */
function recordVerdict(span: Span, judge: () => unknown): unknown {
  function settle<T>(verdict: T): T {
    const pending = pendingOf(verdict);
    if (pending === undefined) endJudged(span, verdict);
    else {
      pending.then(
        (known) => endJudged(span, known),
        () => endFailed(span),
      );
    }
    return verdict;
  }
  try {
    const result = judge();
    if (!(result instanceof Promise)) return settle(result);
    return result.then(settle, (cause: unknown) => {
      endFailed(span);
      throw cause;
    });
  } catch (cause) {
    endFailed(span);
    throw cause;
  }
}

function endJudged(span: Span, verdict: unknown): void {
  const kind = property(verdict, 'kind');
  if (typeof kind === 'string') span.setAttribute('gateway.check.verdict', kind);
  const type = property(verdict, 'type');
  if (typeof type === 'string') span.setAttribute('error.type', type);
  span.end();
}

function endFailed(span: Span): void {
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

function pendingOf(verdict: unknown): Promise<unknown> | undefined {
  const known = property(verdict, 'kind') === 'pending' ? property(verdict, 'verdict') : undefined;
  return known instanceof Promise ? known : undefined;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
