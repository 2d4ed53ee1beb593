import { FRAME, frame, uint32, type Code } from './frame.ts';
import { LIMITS } from './limits.ts';

export interface StreamEvents {
  /** The bytes in `bytes[from, to)` are never overwritten. */
  data(bytes: Buffer, from: number, to: number): void;
  ended(): void;
  /** Called after a `send` that returned false, when more data can be sent. */
  drained(): void;
  /** Called last. */
  closed(): void;
}

interface StreamSender {
  readonly initialWindow: number;
  /** Accepts latin1. */
  readonly outbox: { add(frames: string): void };
  headers(stream: Http2Stream, block: string, isEnd: boolean): void;
  data(stream: Http2Stream, head: string, tail: Buffer | undefined): boolean;
  pump(stream: Http2Stream): void;
}

export interface StreamOwner {
  forget(stream: Http2Stream): void;
}

export class Http2Stream {
  readonly id: number;
  readonly wireId: string;
  events: StreamEvents = SILENT;
  /** In octets. */
  sendWindow: number;
  /** Data waiting for the peer's windows. The first buffer starts at `waitingFrom`. */
  waiting: Buffer[] = [];
  waitingFrom = 0;
  waitingBytes = 0;
  /** Sent after all waiting data; ends the stream. */
  trailers: string | undefined;
  awaitsDrain = false;
  isLocalEnded = false;
  isRemoteEnded = false;
  isClosed = false;
  readonly #sender: StreamSender;
  readonly #owner: StreamOwner;
  #isPaused = false;
  /** Received octets not yet returned to the peer's window. */
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

  respond(block: string): void {
    if (this.#isSending) this.#sender.headers(this, block, false);
  }

  /** Sends latin1, then octets without copying them. Returns false if the caller should wait for `drained`. */
  send(head: string, tail?: Buffer): boolean {
    return !this.#isSending || this.#sender.data(this, head, tail);
  }

  end(trailers: string): void {
    if (!this.#isSending) return;
    this.trailers = trailers;
    this.#sender.pump(this);
    this.leaveIfOver();
  }

  /** Drops waiting data, sends the trailers, and asks the peer to stop sending (RFC 9113 section 8.1). */
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

  /** Stops returning octets to the peer's window. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#credit();
  }

  /** Returns false if the octets exceed the window. */
  receive(octets: number): boolean {
    this.#uncredited += octets;
    return this.#uncredited <= LIMITS.streamWindowBytes;
  }

  credited(): void {
    if (this.#uncredited >= LIMITS.streamWindowBytes / 2) this.#credit();
  }

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
