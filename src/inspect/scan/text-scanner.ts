import { MASK } from '../../text/mask.ts';
import { LOOK_BEHIND_CHARS, type Finding, type StreamDetector } from '../../detectors/finding.ts';
import { visibleFrom } from '../../detectors/invisible-view.ts';
import type { Found } from '../inspected.ts';
import { bufferLimitExceeded, MaskingBuffer, tailOf } from './masking-buffer.ts';
import { eachName } from '../../detectors/credentials/names.ts';

/** Characters read per search step, at most. */
export const CHUNK_CHARS = 16_384;

/** Splits a text into chunks of one step each. */
export function* chunksOf(text: string): Generator<string, void> {
  if (text.length <= CHUNK_CHARS) {
    yield text;
    return;
  }
  for (let from = 0; from < text.length; from += CHUNK_CHARS) yield text.slice(from, from + CHUNK_CHARS);
}

/** Searches one channel of a streamed answer, and decides what may leave. */
export interface ChannelScanner {
  /** The channel's outgoing text. Its settled part is masked. */
  readonly buffer: MaskingBuffer;
  /** Characters in memory: held text and recently sent text. */
  readonly keptChars: number;
  /** The end of the channel's text, for a text that clients join to it. */
  readonly tail: string;
  /**
   * Adds a chunk and returns the findings that it decides. More than `CHUNK_CHARS` takes long.
   * @throws GatewayError upstream_unavailable if too much would have to be held
   */
  push(chunk: string): readonly Found[];
  /** Releases all held text. More may still follow, and is judged with the text before it. */
  finish(): readonly Found[];
  /**
   * Releases held text if it is a few plain words, and returns whether it was. They stay part of the search: if
   * they begin a finding, the rest of it is found.
   */
  releasePlainWords(): boolean;
}

export interface TextScannerOptions {
  /** The text before it in its document (`"api_key": "`), for detectors that use it. */
  readonly context?: string;
  /** Signed text is not masked but withheld from the first finding on. */
  readonly signed?: boolean;
  /** The end of the text that clients join this one to. Findings may begin there. */
  readonly joinedTo?: string;
  /** Finds words that a rule names. Plain words that may begin one are not released. */
  readonly namedWords?: StreamDetector;
}

/** Creates a scanner of plain text that replaces each finding with `***`. */
export function createTextScanner(
  detector: StreamDetector,
  { context = '', signed = false, joinedTo = '', namedWords }: TextScannerOptions = {},
): ChannelScanner {
  const window = new ScanWindow(detector, context);
  /** The joined text, searched too, since clients may read either. */
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
      // The text before it is out of reach.
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
      // Neither window has a finding in the held text.
      window.finish();
      joined?.finish();
      buffer.settleAll();
      return true;
    },
  };
}

/** Twice the longest match of any detector (a PEM key, 32,768). */
const MAX_OPEN_CHARS = 65_536;
/**
 * Above this, open text is searched again only after growing by an eighth. Otherwise long matches would take
 * quadratic time.
 */
const MUCH_OPEN_CHARS = 1024;
/** Includes invisible characters. No language has so many between so few visible ones. */
const MAX_LOOK_BEHIND_CHARS = 16_384;
/** Kept of a text that another one joins. */
const MAX_TAIL_CHARS = 1024;
const NOTHING: readonly Found[] = [];

/**
 * Searches a text that comes in arbitrary chunks. Keeps the undecided part and as much before it as the detectors
 * look back. Offsets count from the text's first character.
 */
export class ScanWindow {
  readonly #detector: StreamDetector;
  #text: string;
  /** Offset of the first character of #text. */
  #from: number;
  /** Offset from which the detectors are undecided. */
  #open = 0;
  #settled = 0;
  /** Length that the text must reach before the next search. */
  #lookAt = 0;

  /** @param context the text before it, which may reveal what it is (`api_key": "`) */
  constructor(detector: StreamDetector, context = '') {
    this.#detector = detector;
    this.#text = context;
    this.#from = -context.length;
  }

  /** Everything before this offset is decided or finished. */
  get settled(): number {
    return this.#settled;
  }

  /** Start of the kept part. No later finding begins before it. */
  get start(): number {
    return Math.max(0, this.#from);
  }

  /** The end of the received text, with its context while that is in reach. */
  get tail(): string {
    return this.#text.slice(-MAX_TAIL_CHARS);
  }

  get size(): number {
    return this.#text.length;
  }

  /**
   * Adds a chunk and returns the findings that it decides, in order.
   * @throws GatewayError upstream_unavailable if more is open than any match is long
   */
  add(chunk: string): readonly Found[] {
    this.#text += chunk;
    const end = this.#end;
    if (end < this.#lookAt) return NOTHING;
    this.#open = Math.max(this.#open, this.#from + this.#detector.openFrom(this.#text));
    const found = this.#findUpTo(this.#open);
    this.#forget();
    const openChars = end - this.#open;
    if (openChars > MAX_OPEN_CHARS) throw bufferLimitExceeded();
    this.#lookAt = openChars > MUCH_OPEN_CHARS ? end + openChars / 8 : 0;
    return found;
  }

  /**
   * Decides the rest as if nothing followed. Open text stays in the window: if more follows, a match across this
   * end is found, and its rest is reported.
   */
  finish(): readonly Found[] {
    const found = this.#findUpTo(this.#end);
    this.#lookAt = 0;
    return found;
  }

  /**
   * Reports whether the open text and what left of it before are a few plain words without a finding.
   * @param named finds words that must not have begun
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
/** At most three words, in lower case but for leading capitals. A full stop within one may be a host's. */
const WORD = String.raw`(?:[A-Z][a-z]{1,15}|[a-z]{1,16}|I)[.,;:!?]{0,3}`;
const PLAIN_WORDS = new RegExp(String.raw`^\s{0,8}(?:${WORD}\s{1,8}){0,2}(?:${WORD})?\s{0,8}$`);
/** How far the credential detector looks back for a name. */
const NAME_CHARS = 128;

/** Reports whether a text ends in a few ordinary words that no name makes a credential (`password: correct`). */
function endsInPlainWords(text: string, from: number): boolean {
  if (from < 0 || text.length - from > MAX_CHARS || !PLAIN_WORDS.test(text.slice(from))) return false;
  const near = text.slice(Math.max(0, from - NAME_CHARS));
  let isNamed = /key/i.test(near);
  eachName(near, () => {
    isNamed = true;
  });
  return !isNamed;
}
