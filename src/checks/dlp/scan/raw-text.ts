import { unescaped } from '../../../detectors/secrets/unescaped-view.ts';
import type { TextView } from '../../../detectors/secrets/unescaped-view.ts';
import type { MaskingBuffer } from './masking-buffer.ts';
import type { Found } from '../scan-batch.ts';
import type { Work } from '../../../turns.ts';
import { PIECE_CHARS } from './pieces.ts';
import type { WholeTexts } from './whole-texts.ts';

/** A JSON text in a JSON string is escaped twice; deeper is not looked. */
const ESCAPE_LEVELS = 2;

/**
 * Searches a text that is no JSON to everybody, and may be to somebody: as it stands, and with JSON's escapes read, one
 * level and two. Gives it on its way out; adds what was found.
 */
export function* searchRawText(wholeTexts: WholeTexts, text: string, found: Found[]): Work<MaskingBuffer> {
  const buffer = yield* wholeTexts.search({ text }, found);
  let last: TextView = { text, toGiven: (at) => at };
  for (let level = 0; level < ESCAPE_LEVELS; level += 1) {
    const view = yield* readEscapes(last.text);
    if (view === undefined) return buffer;
    const { toGiven } = last;
    last = { text: view.text, toGiven: (at) => toGiven(view.toGiven(at)) };
    const searched = yield* wholeTexts.search({ text: last.text }, found);
    const { toGiven: inText } = last;
    buffer.replaceAlso(
      searched.replacements.map((one) => ({ ...one, start: inText(one.start), end: inText(one.end) })),
    );
  }
  return buffer;
}

function* readEscapes(text: string): Work<TextView | undefined> {
  return text.includes('\\') ? yield* unescaped(text, PIECE_CHARS) : undefined;
}
