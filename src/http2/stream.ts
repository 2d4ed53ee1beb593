import { FRAME, frame, uint32, type Code } from './frame.ts';
import { LIMITS } from './limits.ts';

/** What a stream tells its user; none of it comes after `closed`. */
export interface StreamEvents {
  /** Octets of the body: `bytes[from, to)`, which nobody writes to again. */
  data(bytes: Buffer, from: number, to: number): void;
  /** The peer sends no more. */
  ended(): void;
  /** There is room again after a `send` that returned false. */
  drained(): void;
  /** Nothing comes and nothing can be sent any more. Once for each stream. */
  closed(): void;
}

/** What a stream needs of its connection's sender. */
interface StreamSender {
  /** Octets that a new stream may send. */
  readonly initialWindow: number;
  /** Latin1, one character for each octet. */
  readonly outbox: { add(frames: string): void };
  headers(stream: Http2Stream, block: string, isEnd: boolean): void;
  data(stream: Http2Stream, head: string, tail: Buffer | undefined): boolean;
  pump(stream: Http2Stream): void;
}

/** Where a stream says that it is over. */
export interface StreamOwner {
  forget(stream: Http2Stream): void;
}

/** One stream of a connection: a plain object with its windows and what waits to be sent. */
export class Http2Stream {
  readonly id: number;
  /** The id as it stands in a frame. */
  readonly wireId: string;
  events: StreamEvents = SILENT;
  /** Octets that the peer lets us send. */
  sendWindow: number;
  /** What waits for the peer's window, oldest first; of the first buffer the octets from `waitingFrom` on. */
  waiting: Buffer[] = [];
  waitingFrom = 0;
  waitingBytes = 0;
  /** A block of headers that ends the stream once nothing waits. */
  trailers: string | undefined;
  awaitsDrain = false;
  isLocalEnded = false;
  isRemoteEnded = false;
  isClosed = false;
  readonly #sender: StreamSender;
  readonly #owner: StreamOwner;
  #isPaused = false;
  /** Octets that came and were not given back to the peer's window. */
  #uncredited = 0;

  constructor(id: number, sender: StreamSender, owner: StreamOwner) {
    this.id = id;
    this.wireId = uint32(id);
    this.sendWindow = sender.initialWindow;
    this.#sender = sender;
    this.#owner = owner;
  }

  get #isSending(): boolean {
    return !this.isClosed && !this.isLocalEnded && this.trailers === undefined;
  }

  /** Sends a block of headers that the body follows. */
  respond(block: string): void {
    if (this.#isSending) this.#sender.headers(this, block, false);
  }

  /**
   * Sends a piece of the body: a latin1 string, and octets behind it, which are not copied. False where it waits, or
   * much does; `drained` tells when there is room.
   */
  send(head: string, tail?: Buffer): boolean {
    return !this.#isSending || this.#sender.data(this, head, tail);
  }

  /** Ends the stream with a block of headers, once all that was sent before is out. */
  end(trailers: string): void {
    if (!this.#isSending) return;
    this.trailers = trailers;
    this.#sender.pump(this);
    this.leaveIfOver();
  }

  /** Ends it at once: what waits is dropped, and the peer is told to send no more (RFC 9113 section 8.1). */
  abort(trailers: string, code: Code): void {
    if (this.isClosed || this.isLocalEnded) return;
    this.#dropWaiting();
    this.trailers = trailers;
    this.#sender.pump(this);
    if (!this.isRemoteEnded) this.#sender.outbox.add(resetFrame(this, code));
    this.#owner.forget(this);
  }

  reset(code: Code): void {
    if (this.isClosed) return;
    this.#sender.outbox.add(resetFrame(this, code));
    this.#owner.forget(this);
  }

  /** The peer gets no new window; what its window still allows may come. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#credit();
  }

  /** Counts octets of a frame that came, before they are handed on; false where the peer had no window for them. */
  receive(octets: number): boolean {
    this.#uncredited += octets;
    return this.#uncredited <= LIMITS.streamWindowBytes;
  }

  /** Gives the peer its window back for what was handed on. */
  credited(): void {
    if (this.#uncredited >= LIMITS.streamWindowBytes / 2) this.#credit();
  }

  /** Both sides have ended it. */
  leaveIfOver(): void {
    if (this.isLocalEnded && this.isRemoteEnded) this.#owner.forget(this);
  }

  #credit(): void {
    if (this.#isPaused || this.isClosed || this.isRemoteEnded || this.#uncredited === 0) return;
    this.#sender.outbox.add(frame(FRAME.windowUpdate, 0, this.wireId, uint32(this.#uncredited)));
    this.#uncredited = 0;
  }

  #dropWaiting(): void {
    this.waiting = [];
    this.waitingFrom = 0;
    this.waitingBytes = 0;
  }
}

function resetFrame({ wireId }: Http2Stream, code: Code): string {
  return frame(FRAME.resetStream, 0, wireId, uint32(code));
}

const nothing = (): void => undefined;
const SILENT: StreamEvents = { data: nothing, ended: nothing, drained: nothing, closed: nothing };
