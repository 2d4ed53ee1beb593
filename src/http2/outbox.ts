import type { Socket } from 'node:net';

/** Maximum number of unsent octets before streams must wait. */
const FULL_BYTES = 1_048_576;
/**
 * Maximum number of unsent octets before the socket is no longer read, so that answers cannot pile up for a peer that
 * does not read.
 */
export const OVERFULL_BYTES = 8_388_608;

/** Writes once per event-loop turn, for all streams. Joins latin1 strings without copying. */
export class FrameOutbox {
  readonly #socket: Socket;
  #text = '';
  #parts: (string | Buffer)[] = [];
  #pendingBytes = 0;
  #isScheduled = false;
  readonly #flushNow = (): void => {
    this.#isScheduled = false;
    this.flush();
  };

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Number of octets that the operating system has not accepted yet. */
  get unsentBytes(): number {
    return this.#pendingBytes + this.#socket.writableLength;
  }

  get isFull(): boolean {
    return this.unsentBytes > FULL_BYTES;
  }

  /** Adds latin1. */
  add(text: string): void {
    this.#text += text;
    this.#pendingBytes += text.length;
    this.#schedule();
  }

  addBytes(bytes: Buffer): void {
    if (this.#text !== '') this.#parts.push(this.#text);
    this.#text = '';
    this.#parts.push(bytes);
    this.#pendingBytes += bytes.length;
    this.#schedule();
  }

  flush(): void {
    if (this.#pendingBytes === 0) return;
    const socket = this.#socket;
    const text = this.#text;
    const parts = this.#parts;
    this.#text = '';
    this.#pendingBytes = 0;
    if (socket.destroyed || socket.writableEnded) {
      this.#parts = [];
      return;
    }
    if (parts.length === 0) {
      socket.write(text, 'latin1');
      return;
    }
    this.#parts = [];
    socket.cork();
    for (const part of parts) {
      if (typeof part === 'string') socket.write(part, 'latin1');
      else socket.write(part);
    }
    if (text !== '') socket.write(text, 'latin1');
    socket.uncork();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#flushNow);
  }
}
