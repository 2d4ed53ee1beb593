import {
  type Frame,
  type FrameDecoder,
  type FrameWriter,
  PendingBytes,
  readableText,
  type StreamFormat,
} from './frame.ts';

const LF = 0x0a;

/** One JSON document per line (Ollama, Cohere v1). Blank lines are frames without data. */
export const ndjson: StreamFormat = {
  name: 'ndjson',
  createDecoder: ({ maxFrameBytes }) => new NdjsonDecoder(maxFrameBytes),
  createWriter,
  withData: (frame, data) => {
    const text = frame.raw.toString('utf8');
    return Buffer.from(oneLine(data) + text.slice(text.trimEnd().length));
  },
  copy: (_frame, data) => Buffer.from(`${oneLine(data)}\n`),
  readable: readableText,
};

function oneLine(data: string): string {
  return data.replace(/[\r\n]+/g, ' ');
}

function createWriter(): FrameWriter {
  let open = false;
  const after = (bytes: Buffer): Buffer => (open ? Buffer.concat([Buffer.from('\n'), bytes]) : bytes);
  return {
    write(frame) {
      const bytes = after(frame.raw);
      open = frame.open === true;
      return bytes;
    },
    cut: (frames) => after(Buffer.from(frames.map(({ data }) => `${oneLine(data)}\n`).join(''))),
    end: () => Buffer.alloc(0),
  };
}

class NdjsonDecoder implements FrameDecoder {
  readonly #pending: PendingBytes;

  constructor(maxFrameBytes: number) {
    this.#pending = new PendingBytes(maxFrameBytes);
  }

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, from)) {
      this.#pending.add(chunk.subarray(from, at + 1));
      frames.push(frameOfLine(this.#pending.take()));
      from = at + 1;
    }
    this.#pending.add(chunk.subarray(from));
    return frames;
  }

  end(): Frame[] {
    return this.#pending.length === 0 ? [] : [{ ...frameOfLine(this.#pending.take()), open: true }];
  }
}

function frameOfLine(raw: Buffer): Frame {
  const data = raw.toString('utf8').trim();
  return data === '' ? { raw } : { raw, data };
}
