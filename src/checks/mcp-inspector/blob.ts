import { isUtf8 } from 'node:buffer';
import type { JsonPath } from '../../json/path.ts';

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
/** A longer one that is no text need not be read; a shorter one may be a secret as it stands. */
const SHORT_CHARS = 512;
const BINARY_TYPE =
  /^(?:image|audio|video|font|model)\/(?!svg)|^application\/(?:octet-stream|pdf|zip|gzip|x-\w+|vnd\.[\w.-]+|wasm)\b/i;
/** Bytes that tell UTF-16 from UTF-8. */
const SAMPLE_BYTES = 256;

/** Whether MCP has base64 at a place: pictures, sounds, and resources that are sent as bytes. */
export function isBlob(holder: object | undefined, path: JsonPath): boolean {
  if (holder === undefined) return false;
  const name = path.at(-1);
  if (name === 'blob') return 'uri' in holder;
  return name === 'data' && 'type' in holder && (holder.type === 'image' || holder.type === 'audio');
}

/** The texts that are to be read of a place where MCP has base64. */
export interface BlobTexts {
  /** Whether what is written there may be read as it stands: it is no base64, or short. */
  readonly asWritten: boolean;
  /** What it holds, whatever its declared type says; undefined for pictures and the like. */
  readonly held: string | undefined;
}

/** Many decoders pass over what is not in their alphabet: what is no base64 to one is some to another. */
export function textsOfBlob(written: string, holder: object | undefined): BlobTexts {
  const base64 = written.replace(/[\t\n\r ]+/g, '');
  const bytes = Buffer.from(base64, 'base64');
  if (!BASE64.test(base64)) return { asWritten: true, held: decoded(bytes) };
  if (isUtf8(bytes) && !bytes.includes(0)) return { asWritten: false, held: bytes.toString() };
  if (!isDeclaredBinary(holder)) return { asWritten: false, held: decoded(bytes) };
  return { asWritten: base64.length <= SHORT_CHARS, held: undefined };
}

function isDeclaredBinary(holder: object | undefined): boolean {
  const type = holder !== undefined && 'mimeType' in holder ? holder.mimeType : undefined;
  return typeof type === 'string' && BINARY_TYPE.test(type);
}

/** As a lenient reader decodes it: one broken byte must not hide the rest. */
function decoded(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xfe && second === 0xff && bytes.length % 2 === 0) {
    return Buffer.from(bytes).swap16().toString('utf16le');
  }
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = sample.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);
  return bytes.toString(zeros * 4 > sample.length ? 'utf16le' : 'utf8');
}
