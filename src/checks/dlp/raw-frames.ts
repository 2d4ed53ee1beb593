import type { StreamDetector } from '../../detectors/finding.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { StreamEvent } from '../../providers/provider.ts';
import type { Found } from './passages.ts';
import { createTextScanner } from './scanner.ts';
import type { ChannelScanner } from './scanner.ts';
import type { Piece, Stretch } from './stream-entry.ts';
import { piecesOf } from './turns.ts';
import type { Work } from './turns.ts';
import type { WholeTexts } from './whole-texts.ts';

const MARKERS: ReadonlySet<string> = new Set(['', '[DONE]']);

/** What is left of a frame: a part of the text of all, or what it is alone. */
export interface RawFrame {
  readonly edits: readonly JsonEdit[];
  readonly pieces: readonly Piece[];
  readonly unsent: readonly Stretch[];
}

/**
 * Frames of a stream that are no JSON. Their reader may take them for one text or for several: each is searched by
 * itself, and as the rest of those before it.
 */
export class RawFrames {
  readonly #wholeTexts: WholeTexts;
  readonly #scanner: ChannelScanner;

  constructor(detector: StreamDetector, wholeTexts: WholeTexts) {
    this.#wholeTexts = wholeTexts;
    this.#scanner = createTextScanner(detector);
  }

  /** Undefined for a marker that all know. */
  *read({ frame }: StreamEvent, found: Found[]): Work<RawFrame | undefined> {
    const text = frame.data ?? '';
    if (MARKERS.has(text.trim())) return undefined;
    const alone = yield* this.#wholeTexts.search({ text }, found);
    const { outlet } = this.#scanner;
    const from = outlet.length;
    for (const piece of piecesOf(text)) {
      for (const one of this.#scanner.push(piece)) found.push(one);
      yield piece.length;
    }
    const stretch = { outlet, from, to: outlet.length };
    if (alone.replacements.length > 0) {
      const value = alone.take(alone.length);
      return { edits: [{ kind: 'set', path: [], value }], pieces: [], unsent: [stretch] };
    }
    const delta = { channel: '', kind: 'text', text, path: [] } as const;
    return { edits: [], pieces: [{ ...stretch, delta, channel: undefined }], unsent: [] };
  }

  /** Called where the text is over: what is no JSON must not hold up what is. */
  finish(found: Found[]): void {
    for (const one of this.#scanner.finish()) found.push(one);
  }
}
