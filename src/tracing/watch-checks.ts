import type { Check } from '../pipeline/check.ts';
import type { RequestTraces, TracePart } from './request-traces.ts';

/** Hooks in which a check judges or settles. */
const HOOKS = ['admit', 'requestHeaders', 'requestBody', 'response', 'end'] as const;

type Hook = (...args: unknown[]) => unknown;

/** Wraps a check so that each hook call becomes a part of the trace. */
export function watchedCheck(check: Check, traces: Pick<RequestTraces, 'part'>): Check {
  // Inherits all other members from the check through the prototype.
  const watched = Object.create(check) as Record<string, Hook>;
  for (const name of HOOKS) {
    const hook = check[name] as Hook | undefined;
    if (hook === undefined) continue;
    watched[name] = (...args) => {
      const attributes = { 'gateway.check.name': check.name, 'gateway.check.hook': name };
      const part = traces.part(`check ${check.name}`, attributes);
      if (part === undefined) return hook.apply(check, args);
      return part.run(() => recordVerdict(part, () => hook.apply(check, args)));
    };
  }
  return watched as unknown as Check;
}

function recordVerdict(part: TracePart, judge: () => unknown): unknown {
  const fail = (): void => part.end({ isFailed: true });
  function settle<T>(verdict: T): T {
    const pending = pendingOf(verdict);
    if (pending === undefined) endJudged(part, verdict);
    else pending.then((known) => endJudged(part, known), fail);
    return verdict;
  }
  try {
    const result = judge();
    if (!(result instanceof Promise)) return settle(result);
    return result.then(settle, (cause: unknown) => {
      fail();
      throw cause;
    });
  } catch (cause) {
    fail();
    throw cause;
  }
}

function endJudged(part: TracePart, verdict: unknown): void {
  const kind = property(verdict, 'kind');
  if (typeof kind !== 'string' || kind === 'pass') {
    part.end(undefined);
    return;
  }
  const type = property(verdict, 'type');
  part.end({
    attributes: {
      'gateway.check.verdict': kind,
      ...(typeof type === 'string' && { 'gateway.refusal.type': type }),
    },
  });
}

function pendingOf(verdict: unknown): Promise<unknown> | undefined {
  const known = property(verdict, 'kind') === 'pending' ? property(verdict, 'verdict') : undefined;
  return known instanceof Promise ? known : undefined;
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
