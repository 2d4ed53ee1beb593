import {
  CODE,
  ConnectionError,
  FIRST_WINDOW,
  FLAG,
  FRAME,
  frame,
  frameHead,
  MAX_PAYLOAD_BYTES,
  MAX_WINDOW,
} from './frame.ts';
import { NO_TABLE } from './hpack-encoder.ts';
import type { FrameOutbox } from './outbox.ts';
import type { Http2Stream } from './stream.ts';

/** Sends a connection's frames within the peer's windows (RFC 9113 section 5.2). */
export class Sender {
  readonly outbox: FrameOutbox;
  initialWindow = FIRST_WINDOW;
  #window = FIRST_WINDOW;
  /** Streams that wait only for the connection window. */
  readonly #blocked = new Set<Http2Stream>();
  readonly #awaitingDrain = new Set<Http2Stream>();
  #mustSayNoTable = true;

  constructor(outbox: FrameOutbox) {
    this.outbox = outbox;
  }

  headers(stream: Http2Stream, block: string, isEnd: boolean): void {
    const payload = this.#mustSayNoTable ? NO_TABLE + block : block;
    this.#mustSayNoTable = false;
    const flags = FLAG.endHeaders | (isEnd ? FLAG.endStream : 0);
    this.outbox.add(frame(FRAME.headers, flags, stream.wireId, payload));
  }

  /** Must be called after the peer changes its table size. The next block then sets the size again. */
  tableChanged(): void {
    this.#mustSayNoTable = true;
  }

  /** Returns false if the caller should wait for `drained`. */
  data(stream: Http2Stream, head: string, tail: Buffer | undefined): boolean {
    const size = head.length + (tail?.length ?? 0);
    if (stream.waitingBytes === 0 && size <= Math.min(MAX_PAYLOAD_BYTES, stream.sendWindow, this.#window)) {
      this.#spend(stream, size);
      this.outbox.add(frameHead(size, FRAME.data, 0, stream.wireId) + head);
      if (tail !== undefined) this.outbox.addBytes(tail);
    } else {
      stream.waiting.push(Buffer.from(head, 'latin1'));
      if (tail !== undefined) stream.waiting.push(tail);
      stream.waitingBytes += size;
      this.pump(stream);
    }
    if (stream.waitingBytes === 0 && !this.outbox.isFull) return true;
    stream.awaitsDrain = true;
    this.#awaitingDrain.add(stream);
    return false;
  }

  /** Sends waiting data as far as the windows permit, then the trailers. */
  pump(stream: Http2Stream): void {
    while (stream.waitingBytes > 0) {
      const size = Math.min(MAX_PAYLOAD_BYTES, stream.waitingBytes, stream.sendWindow, this.#window);
      if (size <= 0) {
        if (stream.sendWindow > 0) this.#blocked.add(stream);
        return;
      }
      this.#spend(stream, size);
      this.outbox.add(frameHead(size, FRAME.data, 0, stream.wireId));
      this.#take(stream, size);
    }
    this.#blocked.delete(stream);
    this.#tellDrained(stream);
    if (stream.trailers === undefined || stream.isLocalEnded || stream.isClosed) return;
    stream.isLocalEnded = true;
    this.headers(stream, stream.trailers, true);
  }

  /** @throws ConnectionError */
  connectionWindow(increment: number): void {
    this.#window += increment;
    if (this.#window > MAX_WINDOW)
      throw new ConnectionError(CODE.flowControlError, 'a window grew too large');
    for (const stream of this.#blocked) {
      if (this.#window <= 0) break;
      // `pump` may add the stream again, at the end of the queue.
      this.#blocked.delete(stream);
      this.pump(stream);
      stream.leaveIfOver();
    }
  }

  /** Returns false if the window exceeds the maximum. */
  streamWindow(stream: Http2Stream, increment: number): boolean {
    stream.sendWindow += increment;
    if (stream.sendWindow > MAX_WINDOW) return false;
    if (stream.waitingBytes === 0) return true;
    this.pump(stream);
    stream.leaveIfOver();
    return true;
  }

  /** Applies the peer's SETTINGS_INITIAL_WINDOW_SIZE to all streams. Throws ConnectionError. */
  setInitialWindow(size: number, open: Iterable<Http2Stream>): void {
    const change = size - this.initialWindow;
    this.initialWindow = size;
    for (const stream of [...open]) {
      if (!this.streamWindow(stream, change)) {
        throw new ConnectionError(CODE.flowControlError, 'a window grew too large');
      }
    }
  }

  socketDrained(): void {
    for (const stream of [...this.#awaitingDrain]) this.#tellDrained(stream);
  }

  forget(stream: Http2Stream): void {
    this.#blocked.delete(stream);
    this.#awaitingDrain.delete(stream);
    stream.waiting = [];
    stream.waitingBytes = 0;
  }

  #spend(stream: Http2Stream, size: number): void {
    stream.sendWindow -= size;
    this.#window -= size;
  }

  #take(stream: Http2Stream, size: number): void {
    let left = size;
    stream.waitingBytes -= size;
    while (left > 0) {
      const [first] = stream.waiting;
      if (first === undefined) throw new Error('a stream has less to send than it declared');
      const to = Math.min(first.length, stream.waitingFrom + left);
      this.outbox.addBytes(first.subarray(stream.waitingFrom, to));
      left -= to - stream.waitingFrom;
      stream.waitingFrom = to;
      if (to < first.length) return;
      stream.waiting.shift();
      stream.waitingFrom = 0;
    }
  }

  #tellDrained(stream: Http2Stream): void {
    if (!stream.awaitsDrain || stream.waitingBytes > 0 || this.outbox.isFull) return;
    stream.awaitsDrain = false;
    this.#awaitingDrain.delete(stream);
    const isEnding = stream.trailers !== undefined;
    if (!isEnding) stream.events.drained();
  }
}
