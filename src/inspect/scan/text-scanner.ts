import { addAll } from '../../add-all.ts';
import { MASK } from '../../text/mask.ts';
import { LOOK_BEHIND_CHARS, type Finding, type StreamDetector } from '../../detectors/finding.ts';
import { visibleFrom } from '../../detectors/invisible-view.ts';
import type { Found } from '../inspected.ts';
import { bufferLimitExceeded, MaskingBuffer, tailOf } from './masking-buffer.ts';
import { eachName } from '../../detectors/credentials/names.ts';
import type { Work } from '../../turns.ts';

export const CHUNK_CHARS = 16_384;

export function chunksOf(text: string): readonly string[] {
  const chunks: string[] = [];
  for (let from = 0; from < text.length; from += CHUNK_CHARS)
    chunks.push(text.slice(from, from + CHUNK_CHARS));
  return chunks;
}

export interface BufferSpan {
  readonly buffer: MaskingBuffer;
  readonly from: number;
  readonly to: number;
}

export function* pushAll(scanner: ChannelScanner, text: string, found: Found[]): Work<BufferSpan> {
  const { buffer } = scanner;
  const from = buffer.length;
  for (const chunk of chunksOf(text)) {
    addAll(found, scanner.push(chunk));
    yield chunk.length;
  }
  return { buffer, from, to: buffer.length };
}

/** Searches one channel of a streamed answer, and decides which text may be sent. */
export interface ChannelScanner {
  /** Masked up to its settled offset. */
  readonly buffer: MaskingBuffer;
  readonly keptChars: number;
  /** The last characters of the text, for scanners of texts that clients append to this one. */
  readonly tail: string;
  /**
   * Searches a chunk and returns the findings that it completes. Slow for chunks longer than `CHUNK_CHARS`.
   * @throws GatewayError upstream_unavailable if the buffered text exceeds its limit
   */
  push(chunk: string): readonly Found[];
  /** Releases all buffered text. Later text is still searched together with the released text. */
  finish(): readonly Found[];
  /** Releases the text and returns true if it is a few plain words. Findings that begin in them are still found. */
  releasePlainWords(): boolean;
}

export interface TextScannerOptions {
  /** Preceding text in the document (`"api_key": "`), for detectors that use such context. */
  readonly context?: string;
  /** Signed text is not masked, but withheld from the start of the first finding. */
  readonly signed?: boolean;
  /** The end of the text that clients prepend to this one. Findings may begin there. */
  readonly joinedTo?: string;
  /** Detects words named by a rule. Plain words that may be the beginning of one are not released early. */
  readonly namedWords?: StreamDetector;
}

export function createTextScanner(
  detector: StreamDetector,
  { context = '', signed = false, joinedTo = '', namedWords }: TextScannerOptions = {},
): ChannelScanner {
  const window = new ScanWindow(detector, context);
  /** The joined text is also searched, because clients may read either text. */
  let joined = joinedTo === '' ? undefined : new ScanWindow(detector, joinedTo);
  const buffer = new MaskingBuffer();

  function replace(found: readonly Found[]): readonly Found[] {
    for (const { finding } of found) {
      const { start, end } = finding;
      buffer.replace(signed ? { start, end: Infinity, text: '' } : { start, end, text: MASK });
    }
    return found;
  }

  return {
    buffer,
    get keptChars() {
      return window.size + (joined?.size ?? 0) + buffer.length - buffer.sent;
    },
    get tail() {
      return (joined ?? window).tail;
    },
    push(chunk) {
      buffer.append(chunk);
      const found = replace(window.add(chunk));
      const more = joined === undefined ? found : [...found, ...replace(joined.add(chunk))];
      buffer.settle(Math.min(window.settled, joined?.settled ?? Infinity));
      // No finding can reach back into the prepended text any more.
      if (joined !== undefined && joined.start > 0) joined = undefined;
      return more;
    },
    finish() {
      const found = replace(window.finish());
      const more = joined === undefined ? found : [...found, ...replace(joined.finish())];
      buffer.settleAll();
      return more;
    },
    releasePlainWords() {
      if (!window.endsInPlainWords(namedWords) || joined?.endsInPlainWords(namedWords) === false)
        return false;
      // Neither window finds anything in the buffered text.
      window.finish();
      joined?.finish();
      buffer.settleAll();
      return true;
    },
  };
}

/** Twice the longest match of all detectors (a PEM key of 32,768 characters). */
const MAX_OPEN_CHARS = 65_536;
/** Longer open text is searched again only after it grows by an eighth; otherwise, the time would be quadratic. */
const LONG_OPEN_CHARS = 1024;
/** Look-behind limit including invisible characters. No language needs nearly as many between visible ones. */
const MAX_LOOK_BEHIND_CHARS = 16_384;
const MAX_TAIL_CHARS = 1024;
const NOTHING: readonly Found[] = [];

/** Searches text in arbitrary chunks. Keeps the undecided part and the look-behind. Offsets count from the start. */
export class ScanWindow {
  readonly #detector: StreamDetector;
  #text: string;
  #from: number;
  #open = 0;
  #settled = 0;
  /** Length that the text must reach before the next search. */
  #nextSearchAt = 0;

  /** @param context preceding text that may name this text (`"api_key": "`) */
  constructor(detector: StreamDetector, context = '') {
    this.#detector = detector;
    this.#text = context;
    this.#from = -context.length;
  }

  /** All text before this offset is decided or finished. */
  get settled(): number {
    return this.#settled;
  }

  /** Start of the kept text. Later findings cannot begin before this offset. */
  get start(): number {
    return Math.max(0, this.#from);
  }

  get tail(): string {
    return this.#text.slice(-MAX_TAIL_CHARS);
  }

  get size(): number {
    return this.#text.length;
  }

  /** @throws GatewayError upstream_unavailable if the undecided text is longer than any match can be */
  add(chunk: string): readonly Found[] {
    this.#text += chunk;
    const end = this.#end;
    if (end < this.#nextSearchAt) return NOTHING;
    this.#open = Math.max(this.#open, this.#from + this.#detector.openFrom(this.#text));
    const found = this.#findUpTo(this.#open);
    this.#forget();
    const openChars = end - this.#open;
    if (openChars > MAX_OPEN_CHARS) throw bufferLimitExceeded();
    this.#nextSearchAt = openChars > LONG_OPEN_CHARS ? end + openChars / 8 : 0;
    return found;
  }

  /** Decides the rest as if the text had ended, but keeps that part to find matches that continue in later text. */
  finish(): readonly Found[] {
    const found = this.#findUpTo(this.#end);
    this.#nextSearchAt = 0;
    return found;
  }

  /**
   * Reports whether the text ends in a few plain words and the undecided part has no finding.
   * @param named detects words named by a rule; the text must not end in the beginning of one
   */
  endsInPlainWords(named: StreamDetector | undefined): boolean {
    if (this.#open < 0 || !endsInPlainWords(this.#text, this.#open - this.#from)) return false;
    if (named !== undefined && named.openFrom(this.#text) < this.#text.length) return false;
    const settled = this.#settled - this.#from;
    return this.#detector.find(this.#text).every(({ end }) => end <= settled);
  }

  get #end(): number {
    return this.#from + this.#text.length;
  }

  #findUpTo(end: number): readonly Found[] {
    const settled = this.#settled;
    if (end <= settled) return NOTHING;
    this.#settled = end;
    const findings = this.#detector.find(this.#text);
    if (findings.length === 0) return NOTHING;
    const from = this.#from;
    return findings
      .filter((finding) => from + finding.end > settled && from + finding.end <= end)
      .map((finding) => foundAt(finding, this.#text, from));
  }

  #forget(): void {
    const keepFrom = this.#from + visibleFrom(this.#text, this.#open - this.#from, LOOK_BEHIND_CHARS);
    if (this.#open - keepFrom > MAX_LOOK_BEHIND_CHARS) throw bufferLimitExceeded();
    if (keepFrom === this.#from) return;
    this.#text = tailOf(this.#text, keepFrom - this.#from);
    this.#from = keepFrom;
  }
}

function foundAt(finding: Finding, text: string, from: number): Found {
  return {
    finding: { ...finding, start: Math.max(0, from + finding.start), end: from + finding.end },
    text: text.slice(finding.start, finding.end),
  };
}

const MAX_CHARS = 48;
/** A lower-case or capitalized word. Full stops inside words do not match, because they may belong to host names. */
const WORD = String.raw`(?:[A-Z][a-z]{1,15}|[a-z]{1,16}|I)[.,;:!?]{0,3}`;
const PLAIN_WORDS = new RegExp(String.raw`^\s{0,8}(?:${WORD}\s{1,8}){0,2}(?:${WORD})?\s{0,8}$`);
const NAME_CHARS = 128;

/** Reports whether a text ends in a few ordinary words that are not a named credential (`password: correct`). */
function endsInPlainWords(text: string, from: number): boolean {
  if (from < 0 || text.length - from > MAX_CHARS || !PLAIN_WORDS.test(text.slice(from))) return false;
  const near = text.slice(Math.max(0, from - NAME_CHARS));
  let isNamed = /key/i.test(near);
  eachName(near, () => {
    isNamed = true;
  });
  return !isNamed;
}
