import { loadSeedWords } from '../../detectors/assets/seed-phrase.ts';
import { createContentDetector, EVERY_CLASS } from '../../detectors/content.ts';
import { mask } from '../../detectors/mask.ts';
import type { RequestFacts } from '../../providers/request-facts.ts';

/** Longer texts are not shown: a text cut before the search could hide a finding. */
const MAX_READ_CHARS = 8_192;
const MAX_SHOWN_CHARS = 2_048;
/** Shorter strings contain nothing to mask. */
const MIN_CHARS = 4;

/** Formats parts of a waiting call for approvers. Masks everything that data-loss prevention can find. */
export interface Shown {
  arguments(given: unknown): string;
  /** The last user text in a model call; empty if there is none. */
  prompt(request: Pick<RequestFacts, 'texts'>): string;
}

/** Ignores the configuration of data-loss prevention. */
export async function createShown(): Promise<Shown> {
  await loadSeedWords();
  const { find } = createContentDetector(EVERY_CLASS);
  const masked = (text: string): string => mask(text, find(text));
  /** Masks values before JSON escapes them: escaping would hide a secret with line breaks. */
  function maskValue(_name: string, value: unknown): unknown {
    return typeof value === 'string' && value.length >= MIN_CHARS ? masked(value) : value;
  }
  return {
    arguments(given) {
      const { length } = JSON.stringify(given) ?? '';
      // Masked again as a whole, so that member names and numbers are also searched.
      return tooLong(length) ?? cut(masked(JSON.stringify(given, maskValue, 1) ?? ''));
    },
    prompt({ texts }) {
      const last = texts.findLast(({ role, kind }) => role === 'user' && kind === 'text')?.text ?? '';
      return tooLong(last.length) ?? cut(masked(last));
    },
  };
}

function tooLong(length: number): string | undefined {
  return length > MAX_READ_CHARS ? `(${String(length)} characters: too long to show)` : undefined;
}

function cut(shown: string): string {
  return shown.length <= MAX_SHOWN_CHARS ? shown : `${shown.slice(0, MAX_SHOWN_CHARS).toWellFormed()} …`;
}
