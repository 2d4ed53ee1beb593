import { loadSeedWords } from '../../detectors/assets/seed-words.ts';
import { createContentDetector, EVERY_CLASS } from '../../detectors/content.ts';
import { mask } from '../../detectors/mask.ts';

/** Longer arguments are not shown: a part would be cut before it is searched. */
const MAX_READ_CHARS = 8_192;
const MAX_SHOWN_CHARS = 2_048;
/** Shorter strings hold nothing to mask. */
const MIN_CHARS = 4;

/** Returns the arguments of a call as approvers see them. */
export type ShowArguments = (given: unknown) => string;

/** Shows arguments as JSON, with everything masked that data-loss prevention can find, whatever is configured. */
export async function createShowArguments(): Promise<ShowArguments> {
  await loadSeedWords();
  const { find } = createContentDetector(EVERY_CLASS);
  const masked = (text: string): string => mask(text, find(text));
  /** Masks values before JSON escapes them, which would hide a secret with line breaks. */
  function maskValue(_name: string, value: unknown): unknown {
    return typeof value === 'string' && value.length >= MIN_CHARS ? masked(value) : value;
  }
  return (given) => {
    const { length } = JSON.stringify(given) ?? '';
    if (length > MAX_READ_CHARS) return `(${String(length)} characters: too long to show)`;
    // Again as a whole: names of members and numbers are searched too.
    const shown = masked(JSON.stringify(given, maskValue, 1) ?? '');
    return shown.length <= MAX_SHOWN_CHARS ? shown : `${shown.slice(0, MAX_SHOWN_CHARS).toWellFormed()} …`;
  };
}
