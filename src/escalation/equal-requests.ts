import type { Wait } from '../pipeline/exchange.ts';
import type { ApprovalResult } from './escalation.ts';

/**
 * Calls `ask` after the equal requests ahead have been answered, so that only one per process asks for approval at a
 * time. A denial also applies to the requests behind. An approval covers only one request, so the next one asks again.
 * @param name identifies equal requests
 */
type InTurn = (name: string, wait: Wait, ask: () => Promise<ApprovalResult>) => Promise<ApprovalResult>;

interface Line {
  last: Promise<ApprovalResult | undefined>;
  length: number;
}

/** @param maxWaiting maximum number of equal requests behind the one that asks; further ones get `over_share` */
export function createEqualRequests(maxWaiting: number): InTurn {
  const lines = new Map<string, Line>();

  async function askAfter(
    before: Line['last'],
    wait: Wait,
    ask: () => Promise<ApprovalResult>,
  ): Promise<ApprovalResult> {
    const ended = await Promise.race([before, waitEnd(wait)]);
    if (ended === 'over') return { kind: wait.gone.aborted ? 'withdrawn' : 'timeout' };
    return ended?.kind === 'denied' ? ended : ask();
  }

  return async (name, wait, ask) => {
    const line = lines.get(name) ?? { last: Promise.resolve(undefined), length: 0 };
    if (line.length > maxWaiting) return { kind: 'over_share' };
    lines.set(name, line);
    const answer = line.length === 0 ? ask() : askAfter(line.last, wait, ask);
    line.last = answer.catch(() => undefined);
    line.length += 1;
    try {
      return await answer;
    } finally {
      line.length -= 1;
      if (line.length === 0) lines.delete(name);
    }
  };
}

/** Resolves when the wait ends: at its deadline, or when the client disconnects. */
function waitEnd({ gone, until }: Wait): Promise<'over'> {
  return new Promise((resolve) => {
    function over(): void {
      clearTimeout(timer);
      resolve('over');
    }
    const timer = setTimeout(over, until - performance.now());
    if (gone.aborted) over();
    else gone.addEventListener('abort', over, { once: true });
  });
}
