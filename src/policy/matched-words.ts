import { mask } from '../detectors/mask.ts';
import { findSecrets } from '../detectors/secrets/secrets.ts';
import { MASK } from '../text/mask.ts';
import type { RefusalFinding } from '../where-found.ts';
import type { Evidence } from './cards/evidence.ts';

/** What a condition found, with its words, for whoever wrote the call down. Secrets are masked. */
export interface FoundWords extends RefusalFinding {
  readonly before: string;
  readonly words: string;
  readonly after: string;
}

const CONTEXT_CHARS = 40;
const MAX_WORDS_CHARS = 256;
/** Around the words, so that a secret which reaches beyond them is known for one. */
const AROUND = 4_096;
const SECRET: ReadonlySet<string> = new Set(['secret', 'credentials', 'wallet_key', 'seed_phrase']);

export function foundWords({ finding, match }: Evidence): FoundWords {
  const { text, start, end } = match;
  const from = Math.max(0, start - AROUND);
  const secrets = findSecrets(text.slice(from, end + AROUND)).map((one) => ({
    start: one.start + from,
    end: one.end + from,
  }));
  function shown(begin: number, over: number): string {
    const inside = secrets
      .filter((one) => one.start < over && one.end > begin)
      .map((one) => ({ start: Math.max(one.start, begin) - begin, end: Math.min(one.end, over) - begin }));
    return mask(text.slice(begin, over), inside);
  }
  const isSecret = SECRET.has(match.class ?? '');
  return {
    ...finding,
    before: shown(Math.max(0, start - CONTEXT_CHARS), start),
    words: isSecret ? MASK : shown(start, Math.min(end, start + MAX_WORDS_CHARS)),
    after: shown(end, Math.min(text.length, end + CONTEXT_CHARS)),
  };
}
