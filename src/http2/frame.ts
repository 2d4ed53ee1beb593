/** RFC 9113 section 3.4. */
export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** RFC 9113 section 4.1. */
export const FRAME_HEAD_BYTES = 9;
/** The payload size that every peer must accept. */
export const MAX_PAYLOAD_BYTES = 16_384;
export const MAX_WINDOW = 0x7fff_ffff;
/** RFC 9113 section 6.9.2. */
export const FIRST_WINDOW = 65_535;

/** RFC 9113 section 6. */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

/** RFC 9113 section 7. */
export const CODE = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
} as const;

export type Code = (typeof CODE)[keyof typeof CODE];

export class ConnectionError extends Error {
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.name = 'ConnectionError';
    this.code = code;
  }
}

/** The payload is `bytes[from, to)`. */
export interface Http2Frame {
  readonly type: number;
  readonly flags: number;
  /** 0 for the connection. */
  readonly streamId: number;
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Returns a frame header as latin1. `wireId` is the stream id as four octets. */
export function frameHead(length: number, type: number, flags: number, wireId: string): string {
  return (
    String.fromCharCode((length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff, type, flags) + wireId
  );
}

export function frame(type: number, flags: number, wireId: string, payload: string): string {
  return frameHead(payload.length, type, flags, wireId) + payload;
}

export function uint32(value: number): string {
  return String.fromCharCode(
    (value >>> 24) & 0xff,
    (value >>> 16) & 0xff,
    (value >>> 8) & 0xff,
    value & 0xff,
  );
}

export const CONNECTION_ID = uint32(0);

/** Ignores the first bit, which is reserved. */
export function readUint31(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) & 0x7fff_ffff;
}

/** Returns the payload bounds without padding (RFC 9113 section 6.1) and `skipped` octets. Throws ConnectionError. */
export function unpadded({ flags, bytes, from, to }: Http2Frame, skipped = 0): { from: number; to: number } {
  const isPadded = (flags & FLAG.padded) !== 0;
  const start = from + (isPadded ? 1 : 0) + skipped;
  const end = to - (isPadded ? (bytes[from] ?? 0) : 0);
  if (start > to) throw new ConnectionError(CODE.frameSizeError, 'a frame is too short for its flags');
  if (end < start) throw new ConnectionError(CODE.protocolError, 'the padding of a frame exceeds the frame');
  return { from: start, to: end };
}

const PRIORITY_BYTES = 5;
const GOAWAY_BYTES = 8;

/**
 * Checks a frame that has no effect: PRIORITY, GOAWAY (open streams continue), unknown extensions.
 * @throws ConnectionError if the frame is malformed or must not be sent by clients
 */
export function assertIgnorable(frame: Http2Frame): void {
  switch (frame.type) {
    case FRAME.priority:
      assertOnStream(frame);
      assertLength(frame, PRIORITY_BYTES);
      return;
    case FRAME.goAway:
      assertOnConnection(frame);
      if (frame.to - frame.from < GOAWAY_BYTES) throw frameSizeError();
      return;
    case FRAME.pushPromise:
      throw protocolError('a client must not push');
    default:
  }
}

export function protocolError(message: string): ConnectionError {
  return new ConnectionError(CODE.protocolError, message);
}

function frameSizeError(): ConnectionError {
  return new ConnectionError(CODE.frameSizeError, 'a frame has the wrong length for its type');
}

export function assertLength({ from, to }: Http2Frame, length: number): void {
  if (to - from !== length) throw frameSizeError();
}

export function assertOnStream({ streamId }: Http2Frame): void {
  if (streamId === 0) throw protocolError('a stream frame must have a stream id');
}

export function assertOnConnection({ streamId }: Http2Frame): void {
  if (streamId !== 0) throw protocolError('a connection frame must not have a stream id');
}

const NOTHING = Buffer.alloc(0);

/** Splits the bytes after the client preface into frames. Keeps at most one incomplete frame. */
export class FrameReader {
  #bytes: Buffer = NOTHING;
  #at = 0;
  #isBegun = false;

  push(chunk: Buffer): void {
    const rest = this.#bytes.length - this.#at;
    this.#bytes = rest === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#at), chunk]);
    this.#at = 0;
  }

  /** Returns undefined while the next frame is incomplete. Throws ConnectionError. */
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
