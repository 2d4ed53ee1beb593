/** The low three bits of a tag. */
export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

const MAX_VARINT_BYTES = 10;
const NON_ASCII = /[\x80-\xff]/;

/**
 * Reads a message field by field, starting at `at`. Every method takes an end and throws rather than read past it. Text
 * is sliced from one latin1 string of the whole message.
 */
export class ProtobufReader {
  at: number;
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #to: number;
  #text: string | undefined;

  constructor(bytes: Buffer, from: number, to: number) {
    this.#bytes = bytes;
    this.#from = from;
    this.#to = to;
    this.at = from;
  }

  /** Returns the next field's number, shifted left by three bits, combined with its wire type. */
  tag(end: number): number {
    const tag = this.varint(end);
    if (tag < 8 || tag > 0xffff_ffff) throw malformed();
    return tag;
  }

  /**
   * Returns a value that is exact up to 2^53, which no field in use exceeds. A larger one is only known not to be 0.
   */
  varint(end: number): number {
    const bytes = this.#bytes;
    let value = 0;
    let scale = 1;
    for (let count = 0; count < MAX_VARINT_BYTES; count++) {
      if (this.at >= end) throw malformed();
      const byte = bytes[this.at++] as number;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw malformed();
  }

  /** Returns the end of the length-delimited field that begins at `at`. */
  until(end = this.#to): number {
    const length = this.varint(end);
    if (length > end - this.at) throw malformed();
    return this.at + length;
  }

  /** Returns a view, not a copy. */
  bytes(end: number): Buffer {
    const to = this.until(end);
    const view = this.#bytes.subarray(this.at, to);
    this.at = to;
    return view;
  }

  latin1(end: number): string {
    const to = this.until(end);
    const whole = (this.#text ??= this.#bytes.toString('latin1', this.#from, this.#to));
    const text = whole.slice(this.at - this.#from, to - this.#from);
    this.at = to;
    return text;
  }

  utf8(end: number): string {
    const text = this.latin1(end);
    return NON_ASCII.test(text) ? Buffer.from(text, 'latin1').toString() : text;
  }

  skip(tag: number, end: number): void {
    switch (tag & 7) {
      case WIRE.varint:
        this.varint(end);
        return;
      case WIRE.bytes:
        this.at = this.until(end);
        return;
      case WIRE.fixed64:
        this.#pass(8, end);
        return;
      case WIRE.fixed32:
        this.#pass(4, end);
        return;
      default:
        throw malformed();
    }
  }

  #pass(length: number, end: number): void {
    if (length > end - this.at) throw malformed();
    this.at += length;
  }
}

function malformed(): Error {
  return new Error('an Envoy message is not well-formed protobuf');
}
