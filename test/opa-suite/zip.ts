import { inflateRawSync } from 'node:zlib';

export interface ZipFile {
  readonly name: string;
  readonly bytes: Buffer;
}

/** PKWARE's APPNOTE 4.3: the end of the central directory, one of its entries, and the header of a file. */
const END = 0x06054b50;
const END_BYTES = 22;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const MAX_FILE_BYTES = 268_435_456;

/**
 * Returns the files of a zip archive as Go's proxy serves them: stored or deflated, not encrypted.
 *
 * @throws Error if it is not such an archive
 */
export function readZip(zip: Buffer): ZipFile[] {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end === -1 || zip.readUInt32LE(end) !== END || zip.length < end + END_BYTES)
    throw new Error('this is no zip archive');
  const files: ZipFile[] = [];
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new Error('the directory of the zip archive is broken');
    const nameBytes = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    if (!name.endsWith('/')) files.push({ name, bytes: contentOf(zip, at) });
    at += ENTRY_BYTES + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return files;
}

function contentOf(zip: Buffer, entry: number): Buffer {
  const method = zip.readUInt16LE(entry + 10);
  const local = zip.readUInt32LE(entry + 42);
  const start = local + LOCAL_BYTES + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(start, start + zip.readUInt32LE(entry + 20));
  if (method === STORED) return packed;
  if (method === DEFLATED) return inflateRawSync(packed, { maxOutputLength: MAX_FILE_BYTES });
  throw new Error(`compression ${method} of the zip archive is unknown`);
}
