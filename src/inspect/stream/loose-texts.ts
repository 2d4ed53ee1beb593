import type { StreamDetector } from '../../detectors/finding.ts';
import type { StreamEvent, TextDelta } from '../../providers/provider.ts';
import type { Work } from '../../turns.ts';
import type { Found } from '../inspected.ts';
import { bufferLimitExceeded, type MaskingBuffer } from '../scan/masking-buffer.ts';
import { chunksOf, createTextScanner, type ChannelScanner } from '../scan/text-scanner.ts';
import type { WholeTexts } from '../scan/whole-texts.ts';
import type { EventText } from './read-event.ts';

/** Places whose texts are kept at once; the one that was not added to for longest goes first. */
const MAX_TEXTS = 256;
/** Events after which a text that none of them went on with is held no longer. */
const MAX_PAUSE_EVENTS = 16;
const MAX_KEPT_CHARS = 6_291_456;
/** Of a value that is said again in every event: words have so many different letters, digits of a number do not. */
const MIN_REPEATED_LETTERS = 4;
const MAX_REPEATED_CHARS = 256;

interface LooseText {
  readonly scanner: ChannelScanner;
  last: string;
  /** Nothing of it is held: it may go on all the same. */
  hasEnded: boolean;
  /** The number of the event that added to it last. */
  at: number;
}

/**
 * Texts of streams whose dialect nobody knows: each string may be a text by itself, or go on with what stood in its
 * place in the event before. Both are searched. An event waits until its texts are decided, and nothing moves from one
 * to another, so that what was no text after all stays as it was.
 */
export class LooseTexts {
  readonly #detector: StreamDetector;
  /** By place, in the order in which they were added to. */
  readonly #texts = new Map<string, LooseText>();
  #event = 0;
  /** Of the events since what is kept was counted. */
  #bytes = 0;

  constructor(detector: StreamDetector) {
    this.#detector = detector;
  }

  /** Another event has come: lets leave what was not gone on with for long. */
  beginEvent(found: Found[]): void {
    this.#event += 1;
    for (const [place, text] of this.#texts) {
      const isTooMany = this.#texts.size >= MAX_TEXTS;
      if (!isTooMany && this.#event - text.at <= MAX_PAUSE_EVENTS) return;
      if (!text.hasEnded) finishScanner(text.scanner, found);
      text.hasEnded = true;
      // The rest of a finding is still masked where the text goes on.
      if (isTooMany) this.#texts.delete(place);
    }
  }

  /** @param alone the same text as it was searched by itself */
  *read(delta: TextDelta, alone: MaskingBuffer, found: Found[]): Work<EventText> {
    const { channel: place, text } = delta;
    const known = this.#texts.get(place);
    const loose = known ?? {
      scanner: createTextScanner(this.#detector),
      ...{ last: '', hasEnded: false, at: 0 },
    };
    // Added anew, it stands last.
    this.#texts.delete(place);
    this.#texts.set(place, loose);
    const read = yield* readOnInChannel(loose.scanner, delta, alone, found);
    if (text === loose.last && isSaidAgain(text)) finishScanner(loose.scanner, found);
    loose.last = text;
    loose.at = this.#event;
    loose.hasEnded = false;
    return read;
  }

  finish(found: Found[]): void {
    for (const { scanner } of this.#texts.values()) finishScanner(scanner, found);
    this.#texts.clear();
  }

  /**
   * Called after each event, with its length.
   * @throws GatewayError upstream_unavailable where too much is held
   */
  settle(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MAX_KEPT_CHARS) return;
    this.#bytes = 0;
    for (const { scanner } of this.#texts.values()) this.#bytes += scanner.keptChars;
    if (this.#bytes > MAX_KEPT_CHARS) throw bufferLimitExceeded();
  }
}

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
  *read({ frame, inner }: StreamEvent, found: Found[]): Work<EventText | undefined> {
    const text = inner?.json ?? frame.data ?? '';
    if (MARKERS.has(text.trim())) return undefined;
    const alone = yield* this.#wholeTexts.searchRaw(text, found);
    return yield* readOnInChannel(this.#scanner, { channel: '', kind: 'text', text, path: [] }, alone, found);
  }

  /** Called where the text is over: what is no JSON must not hold up what is. */
  finish(found: Found[]): void {
    finishScanner(this.#scanner, found);
  }
}

/** Reads a text as the rest of those before it, with what was found in it alone. */
function* readOnInChannel(
  scanner: ChannelScanner,
  delta: TextDelta,
  alone: MaskingBuffer,
  found: Found[],
): Work<EventText> {
  const { buffer } = scanner;
  const from = buffer.length;
  for (const chunk of chunksOf(delta.text)) {
    for (const one of scanner.push(chunk)) found.push(one);
    yield chunk.length;
  }
  buffer.replaceAlso(
    alone.replacements.map((one) => ({ ...one, start: from + one.start, end: from + one.end })),
  );
  return { buffer, from, to: buffer.length, delta, channel: undefined };
}

function finishScanner(scanner: ChannelScanner, found: Found[]): void {
  for (const one of scanner.finish()) found.push(one);
}

/** A word that stands in its place in each event, as the name of a model does, and no part of a text. */
function isSaidAgain(text: string): boolean {
  if (text.length > MAX_REPEATED_CHARS || !/[A-Za-z]/.test(text)) return false;
  return new Set(text).size >= MIN_REPEATED_LETTERS;
}
