import { isProse, isWord } from './english-words.ts';

const MAX_RUN_UNITS = 65_536;

const MIN_UNITS = 3;

/** Decodes Unicode tags, or readable bytes from variation selectors or from two invisible characters as bits. */
export function readHidden(run: string): string | undefined {
  if (run.length < MIN_UNITS && !/\udb40[\udc20-\udc7e]/.test(run)) return undefined;
  const points = Array.from(run.slice(0, MAX_RUN_UNITS), (character) => character.codePointAt(0) ?? 0);
  return readTags(points) ?? readSelectors(points) ?? readBits(points);
}

const isTag = (point: number): boolean => point >= 0xe0020 && point <= 0xe007e;

function readTags(points: readonly number[]): string | undefined {
  const tags = points.filter(isTag);
  return tags.length === 0
    ? undefined
    : String.fromCharCode(...tags.slice(0, 8192).map((tag) => tag - 0xe0000));
}

/** Maps variation selectors 1 to 256 to bytes 0 to 255. */
function selectorByte(point: number): number | undefined {
  if (point >= 0xfe00 && point <= 0xfe0f) return point - 0xfe00;
  return point >= 0xe0100 && point <= 0xe01ef ? point - 0xe0100 + 16 : undefined;
}

/** Also tries each byte minus 16, because some encoders skip the first 16 selectors. */
function readSelectors(points: readonly number[]): string | undefined {
  const bytes = points.map(selectorByte).filter((byte) => byte !== undefined);
  if (bytes.length < 3) return undefined;
  return readableBytes(bytes) ?? readableBytes(bytes.map((byte) => byte - 16));
}

/** Reads two distinct characters as 0 and 1, in either assignment, high bit first. */
function readBits(points: readonly number[]): string | undefined {
  const kinds = [...new Set(points)];
  if (points.length < 24 || kinds.length !== 2) return undefined;
  const zero = Math.min(...kinds);
  return (
    readableBytes(bytesOfBits(points.map((point) => (point === zero ? 0 : 1)))) ??
    readableBytes(bytesOfBits(points.map((point) => (point === zero ? 1 : 0))))
  );
}

function bytesOfBits(bits: readonly number[]): number[] {
  const bytes: number[] = [];
  for (let at = 0; at + 8 <= bits.length; at += 8) {
    bytes.push(bits.slice(at, at + 8).reduce((byte, bit) => byte * 2 + bit, 0));
  }
  return bytes;
}

function readableBytes(bytes: readonly number[]): string | undefined {
  if (bytes.some((byte) => byte < 9 || byte > 255)) return undefined;
  const text = Buffer.from(bytes).toString('utf8');
  if (/[\x00-\x08\x0e-\x1f\x7f\ufffd]/.test(text)) return undefined;
  return isProse(text) || isWord(text.trim()) || /^[\x20-\x7e\s]{8,}$/.test(text) ? text : undefined;
}
