import type { Finding, StreamDetector } from '../finding.ts';
import { withoutOverlaps } from '../overlaps.ts';
import { createStreamDetector } from '../stream-detector.ts';
import { candidatesAt } from './candidates.ts';
import { eachName } from './names.ts';

/** Finds passwords and other secrets that only a name or position reveals (docs/credentials.md). */
export const credentialsDetector: StreamDetector = createStreamDetector(findCredentials, openIn);

export function findCredentials(text: string): readonly Finding[] {
  const found: Finding[] = [];
  eachName(text, (kind, start, end) => {
    for (const { rule, isSecret, ...span } of candidatesAt(text, kind, start, end)) {
      if (!isSecret) continue;
      found.push({ detector: 'credentials', class: 'credentials', rule, start: span.start, end: span.end });
      return;
    }
  });
  return found.length < 2 ? found : withoutOverlaps(found);
}

function openIn(tail: string): number {
  let open = tail.length;
  eachName(tail, (kind, start, end) => {
    for (const candidate of candidatesAt(tail, kind, start, end)) {
      if (candidate.readTo > tail.length) open = Math.min(open, candidate.start);
      if (candidate.isSecret && candidate.readTo <= tail.length) return;
    }
  });
  return open;
}
