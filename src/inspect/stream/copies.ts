import type { StreamDetector } from '../../detectors/finding.ts';
import { GatewayError } from '../../errors.ts';
import { bufferLimitExceeded } from '../scan/masking-buffer.ts';

/** Number of characters kept from the end of a text, in case clients append another text. */
const MAX_TAIL_CHARS = 1024;
/** Number of characters searched in the appended text. A finding across the seam must end there or stay open. */
const MAX_HEAD_CHARS = 4096;
const MAX_STRAYS = 1024;

/** A 64-bit digest of a channel's text, to detect repetitions. */
export class TextPrint {
  #length = 0;
  #low = SEED_LOW;
  #high = SEED_HIGH;
  #last = '';

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

  tailBefore(tail: string): string {
    return tail.endsWith(this.#last) ? tail.slice(0, tail.length - this.#last.length) : '';
  }

  isLast(text: string): boolean {
    return text === this.#last;
  }

  isWhole(text: string): boolean {
    if (text.length !== this.#length) return false;
    const other = new TextPrint();
    other.add(text);
    return other.#low === this.#low && other.#high === this.#high;
  }
}

/** Random per process, so that providers cannot search for collisions. */
const [SEED_LOW = 0, SEED_HIGH = 0] = crypto.getRandomValues(new Uint32Array(2));

export interface ChannelTails {
  readonly tail: string;
  readonly tailBefore: string;
}

/** Whether a text continues another as a whole, or as a piece that more pieces may follow. */
export type Continuation = 'whole' | 'piece';

/**
 * Checks texts outside streamed channels, such as a whole message among deltas. Repeated text is searched separately.
 * Some clients append any other text to the channel's own pieces. A possible finding across that seam cuts the stream,
 * because one side may have been sent.
 */
export class Copies {
  readonly #detector: StreamDetector;
  /** Ends of texts outside channels, by the channel that they may continue. */
  readonly #strays = new Map<string, string>();

  constructor(detector: StreamDetector) {
    this.#detector = detector;
  }

  /**
   * Checks a text that its channel did not stream.
   * @param tail the end of the channel's text
   * @param tailBefore the end of the text without its last piece, which some clients replace with this text
   * @throws GatewayError upstream_unavailable if the text may continue a finding in the channel's text
   */
  stray(channel: string, { tail, tailBefore }: ChannelTails, text: string, as: Continuation): void {
    const before = this.#strays.get(channel) ?? tail;
    this.#assertApart(before, text, as);
    if (tailBefore !== '') this.#assertApart(tailBefore, text, as);
    if (this.#strays.size >= MAX_STRAYS) throw bufferLimitExceeded();
    this.#strays.set(channel, (before + text.slice(-MAX_TAIL_CHARS)).slice(-MAX_TAIL_CHARS));
  }

  /** @throws GatewayError upstream_unavailable if the piece may continue a finding in a text outside the channel */
  nextPiece(channel: string, piece: string): void {
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
    if (isOpen || isFound) throw splitText();
  }
}

function splitText(): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    'the provider sent a stream that splits text across two fields, which cannot be inspected',
  );
}
