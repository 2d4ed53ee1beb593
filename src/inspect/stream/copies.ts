import type { StreamDetector } from '../../detectors/finding.ts';
import { GatewayError } from '../../errors.ts';
import { bufferLimitExceeded } from '../scan/masking-buffer.ts';

/** Of a text whose client may read another behind it. */
const MAX_TAIL_CHARS = 1024;
/** Of the other, in which a finding that began before must end or be open. */
const MAX_HEAD_CHARS = 4096;
const MAX_STRAYS = 1024;

/** Tells whether a text says what a channel said so far; 64 bits, and none of the text. */
export class TextPrint {
  #length = 0;
  #low = SEED_LOW;
  #high = SEED_HIGH;
  #last = '';

  /** Adds the next piece of the text. */
  add(piece: string): void {
    this.#length += piece.length;
    this.#last = piece;
    let low = this.#low;
    let high = this.#high;
    for (let at = 0; at < piece.length; at += 1) {
      const unit = piece.charCodeAt(at);
      low = Math.imul(low ^ unit, 0x01000193);
      high = Math.imul(high + unit, 0x5bd1e995) ^ (high >>> 15);
    }
    this.#low = low;
    this.#high = high;
  }

  /** The end of the text as it was before its last piece. */
  tailBefore(tail: string): string {
    return tail.endsWith(this.#last) ? tail.slice(0, tail.length - this.#last.length) : '';
  }

  /** Whether a text is the last piece again. */
  isLast(text: string): boolean {
    return text === this.#last;
  }

  /** Whether a text is all that was said. */
  isWhole(text: string): boolean {
    if (text.length !== this.#length) return false;
    const other = new TextPrint();
    other.add(text);
    return other.#low === this.#low && other.#high === this.#high;
  }
}

/** Of this process: a provider cannot look for another text with the same print. */
const [SEED_LOW = 0, SEED_HIGH = 0] = crypto.getRandomValues(new Uint32Array(2));

export interface ChannelTails {
  readonly tail: string;
  readonly tailBefore: string;
}

/** How a text goes on with another: as a whole text, or as a piece that more may follow. */
export type Continuation = 'whole' | 'piece';

/**
 * Texts beside those that a channel streams: a message in full, where others stream deltas. Where one says again what was
 * streamed, it is searched by itself. Where it does not, some clients read it behind the channel's own pieces: what could
 * hold a finding over such a seam ends the stream, since one side of it may have left.
 */
export class Copies {
  readonly #detector: StreamDetector;
  /** Ends of what was said by another name, by the channels that may go on with it. */
  readonly #strays = new Map<string, string>();

  constructor(detector: StreamDetector) {
    this.#detector = detector;
  }

  /**
   * A text that its channel did not say.
   * @param tail the end of the channel
   * @param tailBefore the same without its last piece, which some clients read the text in place of
   * @throws GatewayError upstream_unavailable
   */
  stray(channel: string, { tail, tailBefore }: ChannelTails, text: string, as: Continuation): void {
    const before = this.#strays.get(channel) ?? tail;
    this.#assertApart(before, text, as);
    if (tailBefore !== '') this.#assertApart(tailBefore, text, as);
    if (this.#strays.size >= MAX_STRAYS) throw bufferLimitExceeded();
    this.#strays.set(channel, (before + text.slice(-MAX_TAIL_CHARS)).slice(-MAX_TAIL_CHARS));
  }

  /**
   * A piece of a channel.
   * @throws GatewayError upstream_unavailable
   */
  goOn(channel: string, piece: string): void {
    const before = this.#strays.get(channel);
    if (before === undefined) return;
    this.#strays.delete(channel);
    this.#assertApart(before, piece, 'piece');
  }

  #assertApart(before: string, text: string, as: Continuation): void {
    if (before === '') return;
    const joined = before + text.slice(0, MAX_HEAD_CHARS);
    const seam = before.length;
    const isOpen = as === 'piece' && this.#detector.openFrom(joined) < seam;
    const isFound = this.#detector.find(joined).some(({ start, end }) => start < seam && end > seam);
    if (isOpen || isFound) throw saidTwice();
  }
}

function saidTwice(): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    'the provider sent a stream that splits its text over two fields, which cannot be inspected',
  );
}
