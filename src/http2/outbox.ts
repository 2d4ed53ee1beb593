import type { Socket } from 'node:net';

/** From here on a stream's writer is told to wait. */
const FULL_BYTES = 1_048_576;
/** From here on nothing more is read: what a peer that does not read can make us answer stays bounded. */
export const OVERFULL_BYTES = 8_388_608;

/**
 * What goes out over one connection: everything of one turn of the event loop, of whatever stream, in one write. It is
 * collected as latin1 strings, which are joined without a copy; what is long already stays the buffer that it is.
 */
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

  /** Octets that the system has not taken yet. */
  get unsentBytes(): number {
    return this.#pendingBytes + this.#socket.writableLength;
  }

  get isFull(): boolean {
    return this.unsentBytes > FULL_BYTES;
  }

  /** One character for each octet. */
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

  /** Once all that is done in this turn has been added. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#flushNow);
  }
}
