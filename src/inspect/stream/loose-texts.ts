import { addAll } from '../../add-all.ts';
import type { StreamDetector } from '../../detectors/finding.ts';
import type { StreamEvent, TextDelta } from '../../providers/dialect.ts';
import type { Work } from '../../turns.ts';
import type { Found } from '../inspected.ts';
import { KeptBound, type MaskingBuffer } from '../scan/masking-buffer.ts';
import { createTextScanner, pushAll, type ChannelScanner } from '../scan/text-scanner.ts';
import type { WholeTexts } from '../scan/whole-texts.ts';
import type { EventText } from './read-event.ts';

/** Maximum number of places. The least recently extended place is evicted first. */
const MAX_TEXTS = 256;
/** Number of events without a continuation after which a text is released. */
const MAX_PAUSE_EVENTS = 16;
/**
 * Minimum number of distinct characters in a word that every event repeats. Pieces with fewer may be part of a text.
 */
const MIN_REPEATED_LETTERS = 4;
const MAX_REPEATED_CHARS = 256;

interface LooseText {
  readonly scanner: ChannelScanner;
  last: string;
  /** Set if no text is held; the text may still continue. */
  hasEnded: boolean;
  at: number;
}

/**
 * Texts in streams of unknown dialects. A string may be a separate text, or continue the string at the same place in
 * the previous event; both readings are searched. An event waits until its texts are decided. Text never moves to
 * another event, because other strings must not change.
 */
export class LooseTexts {
  readonly #detector: StreamDetector;
  /** By place, in order of the last addition. */
  readonly #texts = new Map<string, LooseText>();
  #event = 0;
  readonly #kept = new KeptBound();

  constructor(detector: StreamDetector) {
    this.#detector = detector;
  }

  /** Starts the next event. Releases texts that have not continued for a while. */
  beginEvent(found: Found[]): void {
    this.#event += 1;
    for (const [place, text] of this.#texts) {
      const isTooMany = this.#texts.size >= MAX_TEXTS;
      if (!isTooMany && this.#event - text.at <= MAX_PAUSE_EVENTS) return;
      if (!text.hasEnded) finishScanner(text.scanner, found);
      text.hasEnded = true;
      // Texts are kept if possible, so that the rest of a finding is masked if its text continues.
      if (isTooMany) this.#texts.delete(place);
    }
  }

  /** @param alone the same text, searched separately */
  *read(delta: TextDelta, alone: MaskingBuffer, found: Found[]): Work<EventText> {
    const { channel: place, text } = delta;
    const known = this.#texts.get(place);
    const loose = known ?? {
      scanner: createTextScanner(this.#detector),
      ...{ last: '', hasEnded: false, at: 0 },
    };
    this.#texts.delete(place);
    this.#texts.set(place, loose);
    const read = yield* readInSequence(loose.scanner, delta, alone, found);
    if (text === loose.last && isRepeated(text)) finishScanner(loose.scanner, found);
    loose.last = text;
    loose.at = this.#event;
    loose.hasEnded = false;
    return read;
  }

  finish(found: Found[]): void {
    for (const { scanner } of this.#texts.values()) finishScanner(scanner, found);
    this.#texts.clear();
  }

  /** Must be called after each event. Throws GatewayError upstream_unavailable if too much text is held back. */
  settle(bytes: number): void {
    this.#kept.assertRoom(bytes, this.#texts.values());
  }
}

const MARKERS: ReadonlySet<string> = new Set(['', '[DONE]']);

/** Frames that are not JSON. Clients read them differently, so each is searched alone, unescaped and joined. */
export class RawFrames {
  readonly #wholeTexts: WholeTexts;
  readonly #scanner: ChannelScanner;

  constructor(detector: StreamDetector, wholeTexts: WholeTexts) {
    this.#wholeTexts = wholeTexts;
    this.#scanner = createTextScanner(detector);
  }

  *read({ frame, inner }: StreamEvent, found: Found[]): Work<EventText | undefined> {
    const text = inner?.json ?? frame.data ?? '';
    if (MARKERS.has(text.trim())) return undefined;
    const alone = yield* this.#wholeTexts.searchRaw(text, found);
    return yield* readInSequence(this.#scanner, { channel: '', kind: 'text', text, path: [] }, alone, found);
  }

  /** Ends the text, so that JSON events need not wait. */
  finish(found: Found[]): void {
    finishScanner(this.#scanner, found);
  }
}

/** Searches a text as a continuation of the previous texts, and adds the findings in the text alone. */
function* readInSequence(
  scanner: ChannelScanner,
  delta: TextDelta,
  alone: MaskingBuffer,
  found: Found[],
): Work<EventText> {
  const span = yield* pushAll(scanner, delta.text, found);
  const { buffer, from } = span;
  buffer.replaceAlso(
    alone.replacements.map(({ start, end, text }) => ({ start: from + start, end: from + end, text })),
  );
  return { ...span, delta, channel: undefined };
}

function finishScanner(scanner: ChannelScanner, found: Found[]): void {
  addAll(found, scanner.finish());
}

/** Reports whether a repeated string is a word such as a model name, and not part of a text. */
function isRepeated(text: string): boolean {
  if (text.length > MAX_REPEATED_CHARS || !/[A-Za-z]/.test(text)) return false;
  return new Set(text).size >= MIN_REPEATED_LETTERS;
}
