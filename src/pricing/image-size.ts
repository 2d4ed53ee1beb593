import { startsWith } from './media-bytes.ts';

export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

export interface StillImage {
  /** Undefined for BMP, HEIC and AVIF, and if headers are missing, invalid or contradictory. */
  readonly size: ImageSize | undefined;
}

/**
 * Recognizes PNG, JPEG, GIF, WebP, BMP, HEIC and AVIF files with one image. Returns undefined for animations,
 * multi-page files (TIFF) and unknown formats. Linear in the number of bytes.
 */
export function stillImage(bytes: Buffer): StillImage | undefined {
  if (startsWith(bytes, '\x89PNG')) return pngImage(bytes);
  if (startsWith(bytes, '\xff\xd8')) return { size: positive(jpegSize(bytes)) };
  if (startsWith(bytes, 'GIF8')) return gifImage(bytes);
  if (startsWith(bytes, 'RIFF') && bytes.toString('latin1', 8, 12) === 'WEBP') return webpImage(bytes);
  if (startsWith(bytes, 'BM')) return { size: undefined };
  return bytes.toString('latin1', 4, 8) === 'ftyp' ? heifImage(bytes) : undefined;
}

function positive(size: ImageSize | undefined): ImageSize | undefined {
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

/** PNG specification (third edition): "IHDR" and "acTL" (animation) precede the pixel data. */
function pngImage(bytes: Buffer): StillImage | undefined {
  let size: ImageSize | undefined;
  for (let at = 8; at + 8 <= bytes.length;) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') break;
    if (type === 'acTL') return undefined;
    if (type === 'IHDR') {
      if (at !== 8 || bytes.length < 24) return { size: undefined };
      size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    }
    at += 12 + bytes.readUInt32BE(at);
  }
  return { size: positive(size) };
}

/** GIF89a specification: decoders enlarge the screen (section 18) to fit the frames (section 20). */
function gifImage(bytes: Buffer): StillImage | undefined {
  if (bytes.length < 13) return { size: undefined };
  let width = bytes.readUInt16LE(6);
  let height = bytes.readUInt16LE(8);
  let frames = 0;
  let at = 13 + colorTableBytes(bytes[10]);
  while (at < bytes.length && bytes[at] !== 0x3b) {
    if (bytes[at] === 0x21) at = afterSubBlocks(bytes, at + 2);
    else if (bytes[at] === 0x2c && at + 10 <= bytes.length) {
      frames += 1;
      if (frames > 1) return undefined;
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
      at = afterSubBlocks(bytes, at + 11 + colorTableBytes(bytes[at + 9]));
      // Decoders skip bytes between blocks.
    } else at += 1;
  }
  return { size: positive({ width, height }) };
}

function colorTableBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

function afterSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += 1 + length;
  return at + 1;
}

/** RFC 9649, sections 2.5 to 2.7. Returns the larger of the canvas and the image. */
function webpImage(bytes: Buffer): StillImage | undefined {
  let image: ImageSize | undefined;
  let canvas: ImageSize = { width: 0, height: 0 };
  for (let at = 12; at + 18 <= bytes.length;) {
    const type = bytes.toString('latin1', at, at + 4);
    if (type === 'ANIM' || type === 'ANMF') return undefined;
    if (type === 'VP8 ' || type === 'VP8L') {
      if (image !== undefined) return { size: undefined };
      image = type === 'VP8 ' ? lossySize(bytes, at) : losslessSize(bytes.readUInt32LE(at + 9));
    }
    if (type === 'VP8X') {
      if (((bytes[at + 8] ?? 0) & 2) !== 0) return undefined;
      canvas = { width: bytes.readUIntLE(at + 12, 3) + 1, height: bytes.readUIntLE(at + 15, 3) + 1 };
    }
    const size = bytes.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  const size = image && {
    width: Math.max(image.width, canvas.width),
    height: Math.max(image.height, canvas.height),
  };
  return { size: positive(size) };
}

function lossySize(bytes: Buffer, at: number): ImageSize {
  return { width: bytes.readUInt16LE(at + 14) & 0x3fff, height: bytes.readUInt16LE(at + 16) & 0x3fff };
}

function losslessSize(bits: number): ImageSize {
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** ITU-T T.81 annex B: walks the segments to the scan. Frame headers are SOF0 to SOF15 except DHT, JPG and DAC. */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  let size: ImageSize | undefined;
  let at = 2;
  while (at + 9 <= bytes.length) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff) return undefined;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xda) break;
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      // Decoders disagree about which of several frames applies.
      if (size !== undefined) return undefined;
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return size;
}

/** ISO/IEC 23008-12: boxes of a file without video. */
const STILL_BOXES: ReadonlySet<string> = new Set(['ftyp', 'meta', 'mdat', 'free', 'skip']);
const STILL_BRANDS = /^(?:heic|heix|heim|heis|mif1|avif)$/;
const VIDEO_BRANDS = /avis|msf1|hevc|hevx|isom|iso[2-9]|mp4[12]|qt {2}|M4V|3gp/;

function heifImage(bytes: Buffer): StillImage | undefined {
  const brands = bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), 256));
  if (!STILL_BRANDS.test(brands.slice(0, 4)) || VIDEO_BRANDS.test(brands)) return undefined;
  let at = 0;
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || !STILL_BOXES.has(bytes.toString('latin1', at + 4, at + 8))) return undefined;
    at += size;
  }
  return { size: undefined };
}
