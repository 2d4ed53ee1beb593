import type { Frame, FrameDecoder, StreamFormat } from './frame.ts';
import { PendingBytes } from './pending.ts';

const LF = 0x0a;

/** One JSON document a line (Ollama, Cohere v1). Blank lines are frames without data. */
export const ndjson: StreamFormat = {
  name: 'ndjson',
  createDecoder: ({ maxFrameBytes }) => new NdjsonDecoder(maxFrameBytes),
  withData: (frame, data) => {
    const text = frame.raw.toString('utf8');
    const lineEnd = /\s*$/.exec(text)?.[0] ?? '';
    // Line ends inside JSON stand between tokens only, where a space says the same.
    return Buffer.from(data.replace(/[\r\n]+/g, ' ') + lineEnd);
  },
  dropped: () => Buffer.alloc(0),
  comment: () => undefined,
};

class NdjsonDecoder implements FrameDecoder {
  private readonly pending: PendingBytes;

  constructor(maxFrameBytes: number) {
    this.pending = new PendingBytes(maxFrameBytes);
  }

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.pending.add(chunk.subarray(from, at + 1));
      frames.push(readLine(this.pending.take()));
      from = at + 1;
    }
    this.pending.add(chunk.subarray(from));
    return frames;
  }

  end(): Frame[] {
    return this.pending.length === 0 ? [] : [readLine(this.pending.take())];
  }
}

function readLine(raw: Buffer): Frame {
  const data = raw.toString('utf8').trim();
  return data === '' ? { raw } : { raw, data };
}
