import type { Frame, FrameDecoder, StreamFormat } from './frame.ts';
import { PendingBytes } from './pending.ts';

const QUOTE = 0x22;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * A JSON array whose elements come one after another (Gemini's `streamGenerateContent` without `alt=sse`).
 * A frame is an element with the bracket or comma before it, so that nothing waits for what follows; the
 * closing bracket is a frame of its own, without data.
 */
export const jsonArray: StreamFormat = {
  name: 'json-array',
  createDecoder: ({ maxFrameBytes }) => new JsonArrayDecoder(maxFrameBytes),
  withData: replaceElement,
  // The comma before the next element needs something to follow: an empty element keeps the array valid.
  dropped: (frame) => (frame.data === undefined ? Buffer.alloc(0) : replaceElement(frame, '{}')),
  comment: () => undefined,
};

function replaceElement(frame: Frame, data: string): Buffer {
  const elementBytes = Buffer.byteLength(frame.data ?? '');
  return Buffer.concat([frame.raw.subarray(0, frame.raw.length - elementBytes), Buffer.from(data)]);
}

class JsonArrayDecoder implements FrameDecoder {
  private readonly pending: PendingBytes;
  /** Nesting inside the element; 0 between elements. */
  private depth = 0;
  /** Bytes before the element in its frame. */
  private separatorBytes = 0;
  private inString = false;
  private escaped = false;

  constructor(maxFrameBytes: number) {
    this.pending = new PendingBytes(maxFrameBytes);
  }

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      if (this.ends(chunk[i] ?? 0, this.pending.length + i - from)) {
        this.pending.add(chunk.subarray(from, i + 1));
        from = i + 1;
        frames.push(this.take());
      }
    }
    this.pending.add(chunk.subarray(from));
    return frames;
  }

  end(): Frame[] {
    return this.pending.length === 0 ? [] : [{ raw: this.pending.take() }];
  }

  /** Takes one byte, `offset` bytes into its frame; true where it is the frame's last. */
  private ends(byte: number, offset: number): boolean {
    if (this.inString) {
      if (this.escaped) this.escaped = false;
      else if (byte === BACKSLASH) this.escaped = true;
      else this.inString = byte !== QUOTE;
      return false;
    }
    if (byte === QUOTE) this.inString = true;
    else if (byte === OPEN_OBJECT || (byte === OPEN_ARRAY && this.depth > 0)) {
      if (this.depth === 0) this.separatorBytes = offset;
      this.depth += 1;
    } else if (byte === CLOSE_ARRAY && this.depth === 0) {
      this.separatorBytes = offset + 1;
      return true;
    } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && this.depth > 0) {
      this.depth -= 1;
      return this.depth === 0;
    }
    return false;
  }

  private take(): Frame {
    const raw = this.pending.take();
    const data = raw.toString('utf8', this.separatorBytes);
    return data === '' ? { raw } : { raw, data };
  }
}
