import { decodeHuffman } from './huffman.ts';
import { STATIC_TABLE, type HeaderEntry } from './static-table.ts';

/** Overhead per table entry, in addition to name and value (RFC 7541 section 4.1). */
const ENTRY_BYTES = 32;
/** The default of SETTINGS_HEADER_TABLE_SIZE. */
const HEADER_TABLE_BYTES = 4_096;
/** Four octets after the prefix are enough for every allowed index and length. */
const MAX_INTEGER_SHIFT = 21;

/** First bits (RFC 7541 section 6). */
const INDEXED = 0x80;
const WITH_INDEXING = 0x40;
const TABLE_SIZE = 0x20;
const HUFFMAN = 0x80;

/**
 * HPACK decoder (RFC 7541) for one connection. Must decode every block in order, even those of closed streams, because
 * each may change the dynamic table.
 */
export class HpackDecoder {
  readonly #maxListBytes: number;
  /** Newest last. */
  #table: HeaderEntry[] = [];
  #tableBytes = 0;
  #maxTableBytes = HEADER_TABLE_BYTES;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;

  /** @param maxListBytes limit per block, counted as for SETTINGS_MAX_HEADER_LIST_SIZE */
  constructor(maxListBytes: number) {
    this.#maxListBytes = maxListBytes;
  }

  /** @throws Error if the block is malformed or too long */
  decode(bytes: Buffer, from: number, to: number): HeaderEntry[] {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = to;
    const headers: HeaderEntry[] = [];
    let listBytes = 0;
    while (this.#at < to) {
      const first = bytes[this.#at] as number;
      if (first < WITH_INDEXING && first >= TABLE_SIZE) {
        if (headers.length > 0) throw new Error('a header block changes the table size after a header');
        this.#resize(this.#integer(5));
        continue;
      }
      const header = this.#header(first);
      headers.push(header);
      listBytes += sizeOf(header);
      if (listBytes > this.#maxListBytes) throw new Error('a header list is too long');
    }
    this.#bytes = EMPTY;
    return headers;
  }

  #header(first: number): HeaderEntry {
    if (first >= INDEXED) return this.#entry(this.#integer(7));
    const isAdded = first >= WITH_INDEXING;
    const index = this.#integer(isAdded ? 6 : 4);
    const name = index === 0 ? this.#string() : this.#entry(index).name;
    const header = { name, value: this.#string() };
    if (isAdded) this.#add(header);
    return header;
  }

  #integer(prefixBits: number): number {
    const mask = (1 << prefixBits) - 1;
    let value = this.#octet() & mask;
    if (value < mask) return value;
    for (let shift = 0; shift <= MAX_INTEGER_SHIFT; shift += 7) {
      const octet = this.#octet();
      value += (octet & 0x7f) << shift;
      if (octet < 0x80) return value;
    }
    throw new Error('a number in a header block is too long');
  }

  #octet(): number {
    if (this.#at >= this.#end) throw new Error('a header block ends within a header');
    return this.#bytes[this.#at++] as number;
  }

  #string(): string {
    const isCoded = this.#at < this.#end && (this.#bytes[this.#at] as number) >= HUFFMAN;
    const length = this.#integer(7);
    const from = this.#at;
    if (length > this.#end - from) throw new Error('a header block ends within a string');
    this.#at += length;
    return isCoded
      ? decodeHuffman(this.#bytes, from, this.#at)
      : this.#bytes.toString('latin1', from, this.#at);
  }

  #entry(index: number): HeaderEntry {
    const entry =
      index <= STATIC_TABLE.length
        ? STATIC_TABLE[index - 1]
        : this.#table[this.#table.length - (index - STATIC_TABLE.length)];
    if (entry === undefined) throw new Error('a header block refers to an unknown table entry');
    return entry;
  }

  #add(header: HeaderEntry): void {
    const size = sizeOf(header);
    this.#makeRoom(size);
    if (size > this.#maxTableBytes) return; // the table is empty now (RFC 7541 section 4.4)
    this.#table.push(header);
    this.#tableBytes += size;
  }

  #resize(maxBytes: number): void {
    if (maxBytes > HEADER_TABLE_BYTES) throw new Error('a header block sets too large a table size');
    this.#maxTableBytes = maxBytes;
    this.#makeRoom(0);
  }

  #makeRoom(size: number): void {
    let evicted = 0;
    for (const entry of this.#table) {
      if (this.#tableBytes + size <= this.#maxTableBytes) break;
      this.#tableBytes -= sizeOf(entry);
      evicted++;
    }
    if (evicted > 0) this.#table = this.#table.slice(evicted);
  }
}

const EMPTY = Buffer.alloc(0);

function sizeOf({ name, value }: HeaderEntry): number {
  return name.length + value.length + ENTRY_BYTES;
}
