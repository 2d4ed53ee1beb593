export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Headers are read from so many characters of base64; a JPEG's may come after its embedded preview. */
const MAX_HEADER_BASE64_CHARS = 262_144;

/** The pixels of a base64 PNG, JPEG, GIF or WebP by its header; undefined where it cannot be read. */
export function imageSize(base64: string): ImageSize | undefined {
  const bytes = Buffer.from(base64.slice(0, MAX_HEADER_BASE64_CHARS), 'base64');
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

/** PNG specification, "IHDR image header". */
function pngSize(bytes: Buffer): ImageSize | undefined {
  return bytes.length >= 24 && bytes.readUInt32BE(0) === 0x89504e47
    ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
    : undefined;
}

/** GIF89a specification, section 18 "Logical Screen Descriptor". */
function gifSize(bytes: Buffer): ImageSize | undefined {
  return bytes.length >= 10 && bytes.toString('latin1', 0, 4) === 'GIF8'
    ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
    : undefined;
}

/** RFC 9649 sections 2.5 to 2.7: simple lossy, simple lossless and extended files. */
function webpSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 8, 12) !== 'WEBP') {
    return undefined;
  }
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** ITU-T T.81 annex B: walks the segments to the frame header (SOF0 to SOF15 without DHT, JPG and DAC). */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) {
    return undefined;
  }
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (startsFrame) {
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
