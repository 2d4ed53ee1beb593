import { loadSeedWords } from '../../detectors/assets/seed-phrase.ts';
import { createContentDetector, EVERY_CLASS } from '../../detectors/content.ts';
import { mask } from '../../detectors/mask.ts';
import type { RequestFacts } from '../../providers/request-facts.ts';

/** Longer texts are not shown, because truncation before the scan could hide a finding. */
const MAX_READ_CHARS = 8_192;
const MAX_SHOWN_CHARS = 2_048;
/** Shorter strings contain nothing to mask. */
const MIN_CHARS = 4;

/** Formats parts of a waiting call for approvers. Masks all DLP classes, whatever the DLP configuration. */
export interface Shown {
  arguments(given: unknown): string;
  /** The last user text in a model call; empty if there is none. */
  prompt(request: Pick<RequestFacts, 'texts'>): string;
}

export async function createShown(): Promise<Shown> {
  await loadSeedWords();
  const { find } = createContentDetector(EVERY_CLASS);
  const masked = (text: string): string => mask(text, find(text));
  /** Masks values before JSON escapes them, because escaping would hide a secret with line breaks. */
  function maskValue(_name: string, value: unknown): unknown {
    return typeof value === 'string' && value.length >= MIN_CHARS ? masked(value) : value;
  }
  return {
    arguments(given) {
      const { length } = JSON.stringify(given) ?? '';
      // Masked again as a whole, so that member names and numbers are scanned too.
      return tooLong(length) ?? truncated(masked(JSON.stringify(given, maskValue, 1) ?? ''));
    },
    prompt({ texts }) {
      const last = texts.findLast(({ role, kind }) => role === 'user' && kind === 'text')?.text ?? '';
      return tooLong(last.length) ?? truncated(masked(last));
    },
  };
}

function tooLong(length: number): string | undefined {
  return length > MAX_READ_CHARS ? `(${String(length)} characters: too long to show)` : undefined;
}

function truncated(shown: string): string {
  return shown.length <= MAX_SHOWN_CHARS ? shown : `${shown.slice(0, MAX_SHOWN_CHARS).toWellFormed()} …`;
}
