import type { StreamDetector } from '../../../detectors/finding.ts';
import type { StreamEvent } from '../../../providers/provider.ts';
import type { Found } from '../scan-batch.ts';
import { searchRawText } from '../scan/raw-text.ts';
import { createTextScanner } from '../scan/scanner.ts';
import type { ChannelScanner } from '../scan/scanner.ts';
import type { Piece } from './stream-entry.ts';
import { piecesOf } from '../scan/pieces.ts';
import type { Work } from '../../../turns.ts';
import type { WholeTexts } from '../scan/whole-texts.ts';

const MARKERS: ReadonlySet<string> = new Set(['', '[DONE]']);

/**
 * Frames of a stream that are no JSON. Their reader may take them for one text, for several, or for JSON after all: each
 * is searched by itself, its escapes read, and as the rest of those before it.
 */
export class RawFrames {
  readonly #wholeTexts: WholeTexts;
  readonly #scanner: ChannelScanner;

  constructor(detector: StreamDetector, wholeTexts: WholeTexts) {
    this.#wholeTexts = wholeTexts;
    this.#scanner = createTextScanner(detector);
  }

  /** Undefined for a marker that all know. */
  *read({ frame, inner }: StreamEvent, found: Found[]): Work<Piece | undefined> {
    const text = inner?.json ?? frame.data ?? '';
    if (MARKERS.has(text.trim())) return undefined;
    const alone = yield* searchRawText(this.#wholeTexts, text, found);
    const { buffer } = this.#scanner;
    const from = buffer.length;
    for (const piece of piecesOf(text)) {
      for (const one of this.#scanner.push(piece)) found.push(one);
      yield piece.length;
    }
    buffer.replaceAlso(
      alone.replacements.map((one) => ({ ...one, start: from + one.start, end: from + one.end })),
    );
    const delta = { channel: '', kind: 'text', text, path: [] } as const;
    return { buffer, from, to: buffer.length, delta, channel: undefined };
  }

  /** Called where the text is over: what is no JSON must not hold up what is. */
  finish(found: Found[]): void {
    for (const one of this.#scanner.finish()) found.push(one);
  }
}
