import { crc32 } from 'node:zlib';
import { GatewayError } from '../errors.ts';
import type { Frame, FrameDecoder, StreamFormat } from './frame.ts';
import { PendingBytes, frameTooLarge } from './pending.ts';

/** Total length, headers length, CRC of these two. */
const PRELUDE_BYTES = 12;
const CRC_BYTES = 4;

/** Bytes of a header's value by its type (0 and 1 are true and false); strings and bytes carry their length. */
const FIXED_VALUE_BYTES = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
const STRING_TYPE = 7;

/**
 * AWS event stream (`application/vnd.amazon.eventstream`): binary messages with headers and two checksums,
 * which are verified. `event` is `:event-type`, or the name of the exception or error.
 */
export const awsEventStream: StreamFormat = {
  name: 'aws-event-stream',
  createDecoder: ({ maxFrameBytes }) => new AwsEventStreamDecoder(maxFrameBytes),
  withData,
  dropped: () => Buffer.alloc(0),
  comment: () => undefined,
};

class AwsEventStreamDecoder implements FrameDecoder {
  private readonly maxFrameBytes: number;
  private readonly pending: PendingBytes;
  /** Length of the message that is pending; undefined until its first four bytes are there. */
  private expected: number | undefined;

  constructor(maxFrameBytes: number) {
    this.maxFrameBytes = maxFrameBytes;
    this.pending = new PendingBytes(maxFrameBytes);
  }

  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = [];
    let from = 0;
    while (from < chunk.length) {
      const missing = (this.expected ?? PRELUDE_BYTES) - this.pending.length;
      const piece = chunk.subarray(from, from + missing);
      this.pending.add(piece);
      from += piece.length;
      if (piece.length < missing) break;
      if (this.expected === undefined) {
        this.readPrelude();
        continue;
      }
      this.expected = undefined;
      frames.push(readMessage(this.pending.take()));
    }
    return frames;
  }

  end(): Frame[] {
    return this.pending.length === 0 ? [] : [{ raw: this.pending.take() }];
  }

  private readPrelude(): void {
    const prelude = this.pending.take();
    this.pending.add(prelude);
    const total = prelude.readUInt32BE(0);
    if (crc32(prelude.subarray(0, 8)) !== prelude.readUInt32BE(8)) throw broken('a wrong prelude checksum');
    if (total > this.maxFrameBytes) throw frameTooLarge(this.maxFrameBytes);
    if (total < PRELUDE_BYTES + prelude.readUInt32BE(4) + CRC_BYTES) throw broken('an impossible length');
    this.expected = total;
  }
}

function readMessage(raw: Buffer): Frame {
  const end = raw.length - CRC_BYTES;
  if (crc32(raw.subarray(0, end)) !== raw.readUInt32BE(end)) throw broken('a wrong checksum');
  const payloadStart = PRELUDE_BYTES + raw.readUInt32BE(4);
  const headers = readStringHeaders(raw.subarray(PRELUDE_BYTES, payloadStart));
  const event = headers.get(':event-type') ?? headers.get(':exception-type') ?? headers.get(':error-code');
  return { raw, ...(event !== undefined && { event }), data: raw.toString('utf8', payloadStart, end) };
}

function readStringHeaders(bytes: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let i = 0;
  while (i < bytes.length) {
    const nameEnd = i + 1 + (bytes[i] ?? 0);
    const name = bytes.toString('utf8', i + 1, nameEnd);
    const type = bytes[nameEnd] ?? -1;
    let valueStart = nameEnd + 1;
    let valueBytes = FIXED_VALUE_BYTES[type];
    if (valueBytes === undefined) {
      if (type !== 6 && type !== STRING_TYPE) throw broken('a header of an unknown type');
      if (valueStart + 2 > bytes.length) throw broken('a header cut short');
      valueBytes = bytes.readUInt16BE(valueStart);
      valueStart += 2;
    }
    i = valueStart + valueBytes;
    if (i > bytes.length) throw broken('a header cut short');
    if (type === STRING_TYPE) headers.set(name, bytes.toString('utf8', valueStart, i));
  }
  return headers;
}

/** The message with another payload: same headers, new lengths and checksums. */
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

function broken(what: string): GatewayError {
  return new GatewayError(
    'upstream_unavailable',
    `The provider's event stream is broken: a message has ${what}.`,
  );
}
