import { LOOK_BEHIND_CHARS } from '../../../detectors/finding.ts';
import type { Finding, StreamDetector } from '../../../detectors/finding.ts';
import { visibleFrom } from '../../../detectors/invisible-view.ts';
import type { Found } from '../scan-batch.ts';
import { tailOf } from './tail-of.ts';
import { bufferLimitExceeded } from './buffer-limit.ts';

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
 * Searches a text that comes in pieces, however it is cut: keeps what is undecided and, before it, as much as the
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
   * Adds a piece; gives the findings that are decided now, in order.
   * @throws GatewayError upstream_unavailable where more is open than any match is long
   */
  add(piece: string): readonly Found[] {
    this.#text += piece;
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
      .map((finding) => found(finding, this.#text, from));
  }

  #forget(): void {
    const keepFrom = this.#from + visibleFrom(this.#text, this.#open - this.#from, LOOK_BEHIND_CHARS);
    if (this.#open - keepFrom > MAX_LOOK_BEHIND_CHARS) throw bufferLimitExceeded();
    if (keepFrom === this.#from) return;
    this.#text = tailOf(this.#text, keepFrom - this.#from);
    this.#from = keepFrom;
  }
}

function found(finding: Finding, text: string, from: number): Found {
  return {
    finding: { ...finding, start: Math.max(0, from + finding.start), end: from + finding.end },
    text: text.slice(finding.start, finding.end),
  };
}
