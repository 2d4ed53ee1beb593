import type { Finding, StreamDetector } from '../finding.ts';
import { withoutOverlaps } from '../overlaps.ts';
import { createStreamDetector } from '../stream-detector.ts';
import { candidatesAt, type Candidate } from './candidates.ts';
import { eachName } from './names.ts';

/** Finds passwords and other secrets that only their names or positions reveal (docs/credentials.md). */
export const credentialsDetector: StreamDetector = createStreamDetector(findCredentials, openIn);

export function findCredentials(text: string): readonly Finding[] {
  const found: Finding[] = [];
  eachName(text, (kind, start, end) => {
    const accepted = firstAccepted(candidatesAt(text, kind, start, end));
    if (accepted === undefined) return;
    found.push({
      detector: 'credentials',
      class: 'credentials',
      rule: accepted.rule,
      start: accepted.start,
      end: accepted.end,
    });
  });
  return found.length < 2 ? found : withoutOverlaps(found);
}

function firstAccepted(candidates: Iterable<Candidate>): Candidate | undefined {
  for (const candidate of candidates) if (candidate.isSecret) return candidate;
  return undefined;
}

/** Returns the start of the first value that more text may change, or the tail's length. */
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
