import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { GatewayError } from '../errors.ts';
import {
  type ClosingFrame,
  type Frame,
  type FrameDecoder,
  frameTooLarge,
  PendingBytes,
  type StreamFormat,
} from './frame.ts';

const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;

/** Header value length in bytes, by type code. Byte arrays (6) and strings (7) carry their own length. */
const FIXED_VALUE_BYTES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const BYTES_TYPE = 6;
const STRING_TYPE = 7;

/** AWS event streams. Both checksums are verified. `event` is the type of the event, exception or error. */
export const awsEventStream: StreamFormat = {
  name: 'aws-event-stream',
  createDecoder: ({ maxFrameBytes }) => new AwsEventStreamDecoder(maxFrameBytes),
  createWriter: () => ({
    write: ({ raw }) => raw,
    cut: (frames) => Buffer.concat(frames.map(exceptionOf)),
    end: () => Buffer.alloc(0),
  }),
  withData,
  copy,
  readable: (frame) =>
    isUtf8(payloadOf(frame)) ? frame : { ...frame, raw: withData(frame, frame.data ?? '') },
};

class AwsEventStreamDecoder implements FrameDecoder {
  readonly #maxFrameBytes: number;
  readonly #pending: PendingBytes;
  /** Length of the pending message in bytes; undefined until its prelude has arrived. */
  #expected: number | undefined;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
    this.#pending = new PendingBytes(maxFrameBytes);
  }

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    while (from < chunk.length) {
      const missing = (this.#expected ?? PRELUDE_BYTES) - this.#pending.length;
      const piece = chunk.subarray(from, from + missing);
      this.#pending.add(piece);
      from += piece.length;
      if (piece.length < missing) break;
      if (this.#expected === undefined) {
        this.#readPrelude();
        continue;
      }
      this.#expected = undefined;
      frames.push(decodeMessage(this.#pending.take()));
    }
    return frames;
  }

  end(): Frame[] {
    if (this.#pending.length === 0) return [];
    const raw = this.#pending.take();
    return [{ raw, sideband: raw.toString('utf8'), open: true }];
  }

  #readPrelude(): void {
    const prelude = this.#pending.take();
    this.#pending.add(prelude);
    const total = prelude.readUInt32BE(0);
    if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) throw broken('a wrong prelude checksum');
    if (total > this.#maxFrameBytes) throw frameTooLarge(this.#maxFrameBytes);
    if (total < PRELUDE_BYTES + prelude.readUInt32BE(4) + CRC_BYTES) throw broken('an impossible length');
    this.#expected = total;
  }
}

function decodeMessage(raw: Buffer): Frame {
  const end = raw.length - CRC_BYTES;
  if (crc32(raw.subarray(0, end)) !== raw.readUInt32BE(end)) throw broken('a wrong checksum');
  const payloadStart = PRELUDE_BYTES + raw.readUInt32BE(4);
  const { headers, sideband } = readHeaders(raw.subarray(PRELUDE_BYTES, payloadStart));
  const event = headers.get(':event-type') ?? headers.get(':exception-type') ?? headers.get(':error-code');
  return {
    raw,
    ...(event !== undefined && { event }),
    data: raw.toString('utf8', payloadStart, end),
    ...(sideband !== '' && { sideband }),
  };
}

interface Headers {
  readonly headers: ReadonlyMap<string, string>;
  /** Headers that are repeated or a second type, are not strings, are not in `NAMING`, or have an unusual value. */
  readonly sideband: string;
}

/** Headers that describe a message, with their usual values. */
const NAMING: Readonly<Record<string, RegExp>> = {
  ':message-type': /^(?:event|exception|error)$/,
  ':event-type': /^[A-Za-z/.+-]{0,64}$/,
  ':exception-type': /^[A-Za-z/.+-]{0,64}$/,
  ':content-type': /^(?:application\/(?:json|octet-stream)|text\/plain)$/,
};

const TYPES: ReadonlySet<string> = new Set([':event-type', ':exception-type']);

function isNaming(name: string, value: string): boolean {
  return Object.hasOwn(NAMING, name) && NAMING[name]?.test(value) === true;
}

function readHeaders(bytes: Buffer): Headers {
  const headers = new Map<string, string>();
  let sideband = '';
  let i = 0;
  while (i < bytes.length) {
    const nameEnd = i + 1 + (bytes[i] ?? 0);
    const name = bytes.toString('utf8', i + 1, nameEnd);
    const type = bytes[nameEnd] ?? -1;
    let valueStart = nameEnd + 1;
    let valueBytes = FIXED_VALUE_BYTES[type];
    if (valueBytes === undefined) {
      if (type !== BYTES_TYPE && type !== STRING_TYPE) throw broken('a header of an unknown type');
      if (valueStart + 2 > bytes.length) throw broken('a truncated header');
      valueBytes = bytes.readUInt16BE(valueStart);
      valueStart += 2;
    }
    i = valueStart + valueBytes;
    if (i > bytes.length) throw broken('a truncated header');
    const value = type === STRING_TYPE || type === BYTES_TYPE ? bytes.toString('utf8', valueStart, i) : '';
    // Clients ignore repeated headers and a second type header, so these may hide content.
    const isRepeated =
      headers.has(name) || (TYPES.has(name) && [...TYPES].some((other) => headers.has(other)));
    if (type === STRING_TYPE) headers.set(name, value);
    if (type !== STRING_TYPE || isRepeated || !isNaming(name, value)) sideband += `${name}: ${value}\n`;
  }
  return { headers, sideband };
}

function copy({ raw, event }: Frame, data: string): Buffer {
  const { headers } = readHeaders(raw.subarray(PRELUDE_BYTES, PRELUDE_BYTES + raw.readUInt32BE(4)));
  return encodeMessage(
    new Map(
      [...headers].filter(([name, value]) => isNaming(name, value) && (!TYPES.has(name) || value === event)),
    ),
    data,
  );
}

/** Clients throw their own error classes for known exception names. */
function exceptionOf({ data, event = 'validationException' }: ClosingFrame): Buffer {
  const headers = new Map([
    [':message-type', 'exception'],
    [':exception-type', event],
    [':content-type', 'application/json'],
  ]);
  return encodeMessage(headers, data);
}

function encodeMessage(headers: ReadonlyMap<string, string>, data: string): Buffer {
  const encoded = Buffer.concat([...headers].flatMap(([name, value]) => [stringHeader(name, value)]));
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  prelude.writeUInt32BE(encoded.length, 4);
  return withData({ raw: Buffer.concat([prelude, encoded]) }, data);
}

function stringHeader(name: string, value: string): Buffer {
  const text = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([STRING_TYPE]),
    length,
    text,
  ]);
}

function withData(frame: Frame, data: string): Buffer {
  const { raw } = frame;
  const payloadStart = PRELUDE_BYTES + raw.readUInt32BE(4);
  const payload = Buffer.from(data);
  const message = Buffer.alloc(payloadStart + payload.length + CRC_BYTES);
  raw.copy(message, 0, 0, payloadStart);
  message.writeUInt32BE(message.length, 0);
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
  payload.copy(message, payloadStart);
  message.writeUInt32BE(crc32(message.subarray(0, message.length - CRC_BYTES)), message.length - CRC_BYTES);
  return message;
}

function payloadOf({ raw, data }: Frame): Buffer {
  if (data === undefined) return raw.subarray(0, 0);
  return raw.subarray(PRELUDE_BYTES + raw.readUInt32BE(4), raw.length - CRC_BYTES);
}

function broken(what: string): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    `The provider's event stream is broken: a message has ${what}.`,
  );
}
