import {
  CODE,
  ConnectionError,
  FRAME_HEAD_BYTES,
  MAX_PAYLOAD_BYTES,
  PREFACE,
  readUint31,
  type Http2Frame,
} from './frame.ts';

const NOTHING = Buffer.alloc(0);

/** Splits the bytes after a client's preface into frames. Keeps at most one incomplete frame. */
export class FrameReader {
  #bytes: Buffer = NOTHING;
  #at = 0;
  #isBegun = false;

  push(chunk: Buffer): void {
    const rest = this.#bytes.length - this.#at;
    this.#bytes = rest === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#at), chunk]);
    this.#at = 0;
  }

  /** Returns undefined for an incomplete frame. @throws ConnectionError */
  next(): Http2Frame | undefined {
    if (!this.#isBegun && !this.#begin()) return undefined;
    const bytes = this.#bytes;
    const at = this.#at;
    if (bytes.length - at < FRAME_HEAD_BYTES) return undefined;
    const length = bytes.readUIntBE(at, 3);
    if (length > MAX_PAYLOAD_BYTES) {
      throw new ConnectionError(CODE.frameSizeError, 'a frame is longer than SETTINGS_MAX_FRAME_SIZE');
    }
    const from = at + FRAME_HEAD_BYTES;
    const to = from + length;
    if (to > bytes.length) return undefined;
    this.#at = to;
    const [type = 0, flags = 0] = [bytes[at + 3], bytes[at + 4]];
    return { type, flags, streamId: readUint31(bytes, at + 5), bytes, from, to };
  }

  #begin(): boolean {
    const bytes = this.#bytes.toString('latin1', this.#at, this.#at + PREFACE.length);
    if (!PREFACE.startsWith(bytes)) {
      throw new ConnectionError(CODE.protocolError, 'the peer does not use HTTP/2');
    }
    if (bytes.length < PREFACE.length) return false;
    this.#at += PREFACE.length;
    this.#isBegun = true;
    return true;
  }
}
