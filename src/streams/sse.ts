import {
  type ClosingFrame,
  type Frame,
  type FrameDecoder,
  type FrameWriter,
  PendingBytes,
  readableText,
  type StreamFormat,
} from './frame.ts';

const LF = 0x0a;
const CR = 0x0d;

/** Server-sent events (WHATWG HTML). An event cut off by the end of the stream is kept, because SDKs read it. */
export const sse: StreamFormat = {
  name: 'sse',
  createDecoder: ({ maxFrameBytes }) => new SseDecoder(maxFrameBytes),
  createWriter,
  withData,
  copy: ({ event, raw }, data) => Buffer.from(sseText(data, event, lineEndOf(raw))),
  readable: readableText,
  // The leading line feed ends a line or event that the provider left open. Otherwise, it is an empty line.
  comment: (text) => Buffer.from(`\n: ${text.replace(/[\r\n]+/g, ' ')}\n\n`),
};

class SseDecoder implements FrameDecoder {
  readonly #pending: PendingBytes;
  #lineIsEmpty = true;
  #afterCr = false;
  #first = true;

  constructor(maxFrameBytes: number) {
    this.#pending = new PendingBytes(maxFrameBytes);
  }

  push(chunk: Buffer): Frame[] {
    return this.#afterCr || chunk.includes(CR) ? this.#pushWithCr(chunk) : this.#pushLines(chunk);
  }

  end(): Frame[] {
    return this.#pending.length === 0 ? [] : [{ ...this.#frameOf(this.#pending.take()), open: true }];
  }

  /** Fast path, because nearly all providers send no CR. */
  #pushLines(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    let line = 0;
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, line)) {
      const isBlank = at === line && (line > 0 || this.#lineIsEmpty);
      line = at + 1;
      if (!isBlank) continue;
      frames.push(this.#frameOf(this.#pending.endWith(chunk.subarray(from, line))));
      from = line;
    }
    if (from < chunk.length) this.#pending.add(chunk.subarray(from));
    this.#lineIsEmpty = line === chunk.length && (line > 0 || this.#lineIsEmpty);
    return frames;
  }

  #pushWithCr(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let lineIsEmpty = this.#lineIsEmpty;
    let afterCr = this.#afterCr;
    let from = 0;
    for (let i = 0; i < chunk.length; i += 1) {
      const byte = chunk[i];
      if (byte !== LF && byte !== CR) {
        lineIsEmpty = false;
        afterCr = false;
        continue;
      }
      const endsCrLf = byte === LF && afterCr;
      afterCr = byte === CR;
      if (endsCrLf) {
        // The event was already returned, because its chunk ended between CR and LF.
        if (i === 0 && this.#pending.length === 0) {
          frames.push({ raw: chunk.subarray(0, 1) });
          from = 1;
        }
        continue;
      }
      if (!lineIsEmpty) {
        lineIsEmpty = true;
        continue;
      }
      // The LF of this blank line may arrive with the next chunk.
      if (byte === CR && chunk[i + 1] === LF) {
        i += 1;
        afterCr = false;
      }
      frames.push(this.#frameOf(this.#pending.endWith(chunk.subarray(from, i + 1))));
      from = i + 1;
    }
    if (from < chunk.length) this.#pending.add(chunk.subarray(from));
    this.#lineIsEmpty = lineIsEmpty;
    this.#afterCr = afterCr;
    return frames;
  }

  #frameOf(raw: Buffer): Frame {
    const text = raw.toString('utf8');
    const frame = frameOfEvent(raw, this.#first && text.startsWith('\uFEFF') ? text.slice(1) : text);
    this.#first = false;
    return frame;
  }
}

function frameOfEvent(raw: Buffer, text: string): Frame {
  return (text.includes('\r') ? undefined : plainFrame(raw, text)) ?? frameOfLines(raw, text);
}

/** Parses the usual form: one data line, optionally after one event line. Returns undefined for other events. */
function plainFrame(raw: Buffer, text: string): Frame | undefined {
  const first = text.indexOf('\n');
  const end = text.length - 2;
  if (first === end) {
    const data = fieldValue(text, 'data', 0, end);
    return data === undefined ? undefined : { raw, data };
  }
  if (first === -1 || text.indexOf('\n', first + 1) !== end) return undefined;
  const event = fieldValue(text, 'event', 0, first);
  if (event === undefined || !WITHOUT_TEXT.test(text.slice(0, first))) return undefined;
  const data = fieldValue(text, 'data', first + 1, end);
  return data === undefined ? undefined : { raw, event, data };
}

function frameOfLines(raw: Buffer, text: string): Frame {
  let event: string | undefined;
  let data: string | undefined;
  let sideband = '';
  for (const { line } of linesOf(text)) {
    const dataLine = fieldValue(line, 'data');
    if (dataLine !== undefined) data = data === undefined ? dataLine : `${data}\n${dataLine}`;
    else {
      const name = fieldValue(line, 'event');
      // The last of several event names applies. The others are scanned as text.
      if (name !== undefined && event !== undefined) sideband += `event: ${event}\n`;
      event = name ?? event;
      if (!WITHOUT_TEXT.test(line)) sideband += `${line}\n`;
    }
  }
  return {
    raw,
    ...(event !== undefined && { event }),
    ...(data !== undefined && { data }),
    ...(sideband !== '' && { sideband }),
  };
}

/** Matches empty lines, empty comments and plain event names; not `retry`, whose digits may belong to a card number. */
const WITHOUT_TEXT = /^(:?|event: ?[A-Za-z_.-]{0,64})$/;

function createWriter(): FrameWriter {
  let isOpen = false;
  let endsInCr = false;
  /** Some clients split events at two identical line endings, so added lines end like the provider's. */
  let lineEnd = '\n';
  function added(bytes: Buffer): Buffer {
    // The LF of a CRLF may not have arrived yet. It must not follow the added line.
    const before = isOpen ? lineEnd + lineEnd : endsInCr ? '\n' : '';
    return before === '' ? bytes : Buffer.concat([Buffer.from(before), bytes]);
  }
  return {
    write({ raw, open, added: isAdded }) {
      const bytes = isOpen || isAdded === true ? added(raw) : raw;
      isOpen = open === true;
      endsInCr = raw[raw.length - 1] === CR;
      lineEnd = lineEndOf(raw, lineEnd);
      return bytes;
    },
    cut: (frames) => added(Buffer.from(frames.map((frame) => closingText(frame, lineEnd)).join(''))),
    end: () => Buffer.alloc(0),
  };
}

function closingText({ data, event, line }: ClosingFrame, lineEnd: string): string {
  const rest = line === undefined ? '' : line.replace(/[\r\n]+/g, ' ') + lineEnd;
  return sseText(data, event, lineEnd) + rest;
}

function sseText(data: string, event: string | undefined, lineEnd: string): string {
  const name = event === undefined ? '' : `event: ${event}${lineEnd}`;
  return name + dataLines(data).join(lineEnd) + lineEnd + lineEnd;
}

/** Returns the line ending of the event's first line, or `before` if it has none. */
function lineEndOf(raw: Buffer, before = '\n'): string {
  const lf = raw.indexOf(LF);
  const cr = raw.indexOf(CR);
  if (cr < 0 || (lf >= 0 && lf < cr)) return lf < 0 ? before : '\n';
  return lf === cr + 1 ? '\r\n' : '\r';
}

function dataLines(data: string): string[] {
  return data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`);
}

/** Returns the value of a `name: value` line, without the first space after the colon, or undefined for other lines. */
function fieldValue(text: string, name: string, from = 0, end = text.length): string | undefined {
  const colon = from + name.length;
  if (colon > end || !text.startsWith(name, from)) return undefined;
  if (colon === end) return '';
  if (text[colon] !== ':') return undefined;
  return text.slice(colon + (colon + 1 < end && text[colon + 1] === ' ' ? 2 : 1), end);
}

interface Line {
  readonly line: string;
  readonly lineEnd: string;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  const ends = /\r\n|\r|\n/g;
  let from = 0;
  for (let match = ends.exec(text); match !== null; match = ends.exec(text)) {
    lines.push({ line: text.slice(from, match.index), lineEnd: match[0] });
    from = ends.lastIndex;
  }
  if (from < text.length) lines.push({ line: text.slice(from), lineEnd: '' });
  return lines;
}

function isDataLineAlone({ raw, data = '' }: Frame): boolean {
  const around = 'data: \n\n'.length;
  return (
    raw.length === Buffer.byteLength(data) + around &&
    raw.toString('latin1', 0, 6) === 'data: ' &&
    raw[raw.length - 2] === LF &&
    raw[raw.length - 1] === LF
  );
}

/** Replaces all `data:` lines with the new payload. Other lines are kept. */
function withData(frame: Frame, data: string): Buffer {
  if (isDataLineAlone(frame)) return Buffer.from(sseText(data, undefined, '\n'));
  const lines = linesOf(frame.raw.toString('utf8'));
  const lineEnd = lines[0]?.lineEnd ?? '\n';
  const replacement = dataLines(data);
  let written = false;
  let text = '';
  for (const { line, lineEnd: end } of lines) {
    const isData = fieldValue(line.startsWith('\uFEFF') ? line.slice(1) : line, 'data') !== undefined;
    if (!isData) text += line + end;
    else if (!written) text += replacement.join(lineEnd) + end;
    written ||= isData;
  }
  return Buffer.from(text);
}
