import type { StreamDetector } from '../../../detectors/finding.ts';
import { MASK } from '../actions.ts';
import { MaskingBuffer } from './masking-buffer.ts';
import type { Found } from '../scan-batch.ts';
import { ScanWindow } from './scan-window.ts';

/** Searches one channel of a streamed answer, and says what of it may leave. */
export interface ChannelScanner {
  /** The channel's text on its way out, masked as far as it is settled. */
  readonly buffer: MaskingBuffer;
  /** Characters that are kept: what is held, and what was sent last. */
  readonly keptChars: number;
  /** The end of the channel, for a text that clients join to it. */
  readonly tail: string;
  /**
   * Adds a piece of the channel; gives the findings that are decided now. Pieces of more than `PIECE_CHARS` take long.
   * @throws GatewayError upstream_unavailable where too much would have to be held
   */
  push(text: string): readonly Found[];
  /** Lets everything leave that was held. More may come all the same: it is judged by what was there before. */
  finish(): readonly Found[];
}

export interface TextScannerOptions {
  /** What stands before the text in its document (`"api_key": "`), for detectors that go by it. */
  readonly context?: string;
  /** A signature covers the text: it is not masked, but withheld from the first finding on. */
  readonly signed?: boolean;
  /** The end of a text to which clients join this one: findings may begin there. */
  readonly joinedTo?: string;
}

/** A scanner of plain text, in which `***` stands for each finding. */
export function createTextScanner(
  detector: StreamDetector,
  { context = '', signed = false, joinedTo = '' }: TextScannerOptions = {},
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
    push(text) {
      buffer.append(text);
      const found = replace(window.add(text));
      const more = joined === undefined ? found : [...found, ...replace(joined.add(text))];
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
  };
}
