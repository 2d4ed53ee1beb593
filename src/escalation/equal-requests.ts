import type { Wait } from '../pipeline/patience.ts';
import type { ApprovalResult } from './escalation.ts';

/** Lets equal requests of one key ask a person one after the other, in this process. */
export interface EqualRequests {
  /**
   * Calls `ask` once the equal requests before have their answers. A denial counts for those behind it too; an approval
   * is for one request, so each of them asks anew.
   *
   * @param name what makes requests equal
   */
  inTurn(name: string, wait: Wait, ask: () => Promise<ApprovalResult>): Promise<ApprovalResult>;
}

interface Line {
  /** Ends with the last request that came. */
  last: Promise<ApprovalResult | undefined>;
  length: number;
}

/** @param maxWaiting equal requests that may wait behind the one that asks; one more is `over_share` */
export function createEqualRequests(maxWaiting: number): EqualRequests {
  const lines = new Map<string, Line>();

  async function afterThose(
    before: Line['last'],
    wait: Wait,
    ask: () => Promise<ApprovalResult>,
  ): Promise<ApprovalResult> {
    const ended = await Promise.race([before, overOf(wait)]);
    if (ended === 'over') return { kind: wait.gone.aborted ? 'withdrawn' : 'timeout' };
    return ended?.kind === 'denied' ? ended : ask();
  }

  return {
    async inTurn(name, wait, ask) {
      const line = lines.get(name) ?? { last: Promise.resolve(undefined), length: 0 };
      if (line.length > maxWaiting) return { kind: 'over_share' };
      lines.set(name, line);
      const asked = line.length === 0 ? ask() : afterThose(line.last, wait, ask);
      line.last = asked.catch(() => undefined);
      line.length += 1;
      try {
        return await asked;
      } finally {
        line.length -= 1;
        if (line.length === 0) lines.delete(name);
      }
    },
  };
}

/** Resolves when a request can wait no longer. */
function overOf({ gone, until }: Wait): Promise<'over'> {
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
