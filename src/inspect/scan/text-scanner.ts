import { MASK } from '../../text/mask.ts';
import { LOOK_BEHIND_CHARS, type Finding, type StreamDetector } from '../../detectors/finding.ts';
import { visibleFrom } from '../../detectors/invisible-view.ts';
import type { Found } from '../inspected.ts';
import { bufferLimitExceeded, MaskingBuffer, tailOf } from './masking-buffer.ts';
import { eachName } from '../../detectors/credentials/names.ts';

/** A step of a search reads at most so many characters. */
export const CHUNK_CHARS = 16_384;

/** A text in chunks, each as long as a step may be. */
export function* chunksOf(text: string): Generator<string, void> {
  if (text.length <= CHUNK_CHARS) {
    yield text;
    return;
  }
  for (let from = 0; from < text.length; from += CHUNK_CHARS) yield text.slice(from, from + CHUNK_CHARS);
}

/** Searches one channel of a streamed answer, and says what of it may leave. */
export interface ChannelScanner {
  /** The channel's text on its way out, masked as far as it is settled. */
  readonly buffer: MaskingBuffer;
  /** Characters that are kept: what is held, and what was sent last. */
  readonly keptChars: number;
  /** The end of the channel, for a text that clients join to it. */
  readonly tail: string;
  /**
   * Adds a chunk of the channel; gives the findings that are decided now. More than `CHUNK_CHARS` takes long.
   * @throws GatewayError upstream_unavailable where too much would have to be held
   */
  push(chunk: string): readonly Found[];
  /** Lets everything leave that was held. More may come all the same: it is judged by what was there before. */
  finish(): readonly Found[];
  /**
   * Lets what is held leave where it is a few plain words; says whether it was. They stay part of what is searched: of a
   * finding that they begin, the rest is found.
   */
  releasePlainWords(): boolean;
}

export interface TextScannerOptions {
  /** What stands before the text in its document (`"api_key": "`), for detectors that go by it. */
  readonly context?: string;
  /** A signature covers the text: it is not masked, but withheld from the first finding on. */
  readonly signed?: boolean;
  /** The end of a text to which clients join this one: findings may begin there. */
  readonly joinedTo?: string;
  /** What looks for words that a rule names: plain words that may begin such stay. */
  readonly namedWords?: StreamDetector;
}

/** A scanner of plain text, in which `***` stands for each finding. */
export function createTextScanner(
  detector: StreamDetector,
  { context = '', signed = false, joinedTo = '', namedWords }: TextScannerOptions = {},
): ChannelScanner {
  const window = new ScanWindow(detector, context);
  /** The text with what it is joined to. Which of the two a client reads, nobody knows: both are searched. */
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
      // What it is joined to is out of reach.
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
      // Neither finds anything in what is held.
      window.finish();
      joined?.finish();
      buffer.settleAll();
      return true;
    },
  };
}

/** Twice the longest match that any detector has (a PEM key, 32,768): more is never open for a good reason. */
const MAX_OPEN_CHARS = 65_536;
/**
 * Where this much is open it is looked at again only once it has grown by an eighth, or long matches cost their square.
 */
const MUCH_OPEN_CHARS = 1024;
/** With the characters that print nothing, of which no language has so many between so few that do. */
const MAX_LOOK_BEHIND_CHARS = 16_384;
/** Of a text to which another is joined. */
const MAX_TAIL_CHARS = 1024;
const NOTHING: readonly Found[] = [];

/**
 * Searches a text that comes in chunks, however it is cut: keeps what is undecided and, before it, as much as the
 * detectors look back. Offsets count from the text's first character.
 */
export class ScanWindow {
  readonly #detector: StreamDetector;
  #text: string;
  /** Of the first character of #text. */
  #from: number;
  /** From here on the detectors have not decided. */
  #open = 0;
  #settled = 0;
  /** The end that the text must reach before it is looked at again. */
  #lookAt = 0;

  /** @param context what stands before the text, and may tell what is in it (`api_key": "`) */
  constructor(detector: StreamDetector, context = '') {
    this.#detector = detector;
    this.#text = context;
    this.#from = -context.length;
  }

  /** Everything before this offset is decided, or was ended. */
  get settled(): number {
    return this.#settled;
  }

  /** Where the part begins that is kept; findings to come do not begin before it. */
  get start(): number {
    return Math.max(0, this.#from);
  }

  /** The end of what has come, with what stands before the text where that is still in reach. */
  get tail(): string {
    return this.#text.slice(-MAX_TAIL_CHARS);
  }

  /** Characters that are kept. */
  get size(): number {
    return this.#text.length;
  }

  /**
   * Adds a chunk; gives the findings that are decided now, in order.
   * @throws GatewayError upstream_unavailable where more is open than any match is long
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
   * Decides the rest as if nothing followed. What was open stays in the window: should the text go on all the same,
   * a match that reaches over this end is found, and gives its rest.
   */
  finish(): readonly Found[] {
    const found = this.#findUpTo(this.#end);
    this.#lookAt = 0;
    return found;
  }

  /**
   * Whether what is open, with what left of it before, is a few plain words and holds no finding as it stands.
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
/** At most three words, each in one case but for a leading capital. A full stop inside of one may be a host's. */
const WORD = String.raw`(?:[A-Z][a-z]{1,15}|[a-z]{1,16}|I)[.,;:!?]{0,3}`;
const PLAIN_WORDS = new RegExp(String.raw`^\s{0,8}(?:${WORD}\s{1,8}){0,2}(?:${WORD})?\s{0,8}$`);
/** As far as the detector of credentials looks for a name before a value. */
const NAME_CHARS = 128;

/**
 * Whether the end of a text is a few ordinary words, and no value that a name before it makes a credential
 * (`password: correct`).
 */
function endsInPlainWords(text: string, from: number): boolean {
  if (from < 0 || text.length - from > MAX_CHARS || !PLAIN_WORDS.test(text.slice(from))) return false;
  const near = text.slice(Math.max(0, from - NAME_CHARS));
  let isNamed = /key/i.test(near);
  eachName(near, () => {
    isNamed = true;
  });
  return !isNamed;
}
