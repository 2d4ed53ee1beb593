import {
  type ClosingFrame,
  type Frame,
  type FrameDecoder,
  type FrameWriter,
  PendingBytes,
  readableText,
  type StreamFormat,
} from './frame.ts';
import { CODES } from '../json/codes.ts';

const { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } = CODES;

const SEPARATORS: ReadonlySet<number> = new Set([OPEN_ARRAY, COMMA, CLOSE_ARRAY]);

/**
 * Gemini's `streamGenerateContent` without `alt=sse`. A frame is an element with the preceding bracket or comma, so
 * that it can be forwarded before the next one arrives. The closing bracket is a frame without data.
 */
export const jsonArray: StreamFormat = {
  name: 'json-array',
  createDecoder: ({ maxFrameBytes }) => new JsonArrayDecoder(maxFrameBytes),
  createWriter: () => new JsonArrayWriter(),
  withData: (frame, data) => Buffer.concat([separatorOf(frame), Buffer.from(data)]),
  copy: (_frame, data) => Buffer.from(`,${data}`),
  readable: readableText,
};

/** Maximum number of bytes held back after an element. The end of an array needs only a few. */
const MAX_REST_BYTES = 65_536;

/** Holds back the bytes after the last element, so that elements can be added. */
class JsonArrayWriter implements FrameWriter {
  readonly #rest = new PendingBytes(MAX_REST_BYTES);
  #begun = false;

  write(frame: Frame): Buffer {
    if (frame.data === undefined) {
      this.#rest.add(frame.raw);
      return Buffer.alloc(0);
    }
    if (frame.added === true) return this.#separated(Buffer.from(frame.data));
    const separator = separatorOf(frame);
    const opens = separator.includes(OPEN_ARRAY);
    const rest = this.#rest.take();
    // An error may be a single object outside an array.
    const fits = this.#begun ? !opens || rest.length > 0 : opens || !separator.includes(COMMA);
    const bytes = fits ? frame.raw : this.#separated(frame.raw.subarray(separator.length));
    this.#begun = true;
    if (rest.length === 0) return bytes;
    if (opens || !rest.includes(CLOSE_ARRAY)) return Buffer.concat([rest, bytes]);
    // The array ended while an element was held back.
    this.#rest.add(rest);
    return bytes;
  }

  cut(frames: readonly ClosingFrame[]): Buffer {
    return this.#separated(Buffer.from(`${frames.map(({ data }) => data).join(',')}]`));
  }

  end(): Buffer {
    const rest = this.#rest.take();
    const isOpen = this.#begun || rest.includes(OPEN_ARRAY);
    return isOpen || !rest.includes(CLOSE_ARRAY) ? rest : this.#separated(rest);
  }

  #separated(bytes: Buffer): Buffer {
    const separator = Buffer.from(this.#begun ? ',' : '[');
    this.#begun = true;
    return Buffer.concat([separator, bytes]);
  }
}

function separatorOf({ raw }: Frame): Buffer {
  let inString = false;
  for (let i = 0; i < raw.length; i += 1) {
    const byte = raw[i];
    if (inString && byte === BACKSLASH) i += 1;
    else if (byte === QUOTE) inString = !inString;
    else if (byte === OPEN_OBJECT && !inString) return raw.subarray(0, i);
  }
  return raw;
}

class JsonArrayDecoder implements FrameDecoder {
  readonly #pending: PendingBytes;
  /** Nesting depth in the element; 0 between elements. */
  #depth = 0;
  #separatorBytes = 0;
  #inString = false;
  #escaped = false;

  constructor(maxFrameBytes: number) {
    this.#pending = new PendingBytes(maxFrameBytes);
  }

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      if (this.#ends(chunk[i] ?? 0, this.#pending.length + i - from)) {
        this.#pending.add(chunk.subarray(from, i + 1));
        from = i + 1;
        frames.push(this.#take());
      }
    }
    this.#pending.add(chunk.subarray(from));
    return frames;
  }

  end(): Frame[] {
    if (this.#pending.length === 0) return [];
    const raw = this.#pending.take();
    return [{ raw, ...sidebandOf(raw), open: true }];
  }

  /** Processes the byte at `offset` in the frame. Returns true if it is the frame's last byte. */
  #ends(byte: number, offset: number): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else this.#inString = byte !== QUOTE;
      return false;
    }
    if (byte === QUOTE) this.#inString = true;
    else if (byte === OPEN_OBJECT || (byte === OPEN_ARRAY && this.#depth > 0)) {
      if (this.#depth === 0) this.#separatorBytes = offset;
      this.#depth += 1;
    } else if (byte === CLOSE_ARRAY && this.#depth === 0) {
      this.#separatorBytes = offset + 1;
      return true;
    } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && this.#depth > 0) {
      this.#depth -= 1;
      return this.#depth === 0;
    }
    return false;
  }

  #take(): Frame {
    const raw = this.#pending.take();
    const data = raw.toString('utf8', this.#separatorBytes);
    const sideband = sidebandOf(raw.subarray(0, this.#separatorBytes));
    return data === '' ? { raw, ...sideband } : { raw, data, ...sideband };
  }
}

function sidebandOf(separator: Buffer): { readonly sideband?: string } {
  const separates = separator.every((byte) => byte <= 0x20 || SEPARATORS.has(byte));
  return separates ? {} : { sideband: separator.toString('utf8') };
}
