import { startsWith } from './media-bytes.ts';

/**
 * Returns the duration of audio in seconds, counted over all bytes of a WAV or all frames of an MP3. Returns undefined
 * for other codecs, which store minutes of silence in a few bytes (FLAC's constant blocks, Opus's DTX) and state their
 * duration only in a header; also if the declared type differs, since the same bytes may last longer under that type
 * (an MP3 as samples).
 * @param type MIME type given by the client, if any
 */
export function soundSeconds(bytes: Buffer, type = ''): number | undefined {
  const isWav = startsWith(bytes, 'RIFF');
  const isAsDeclared = UNTYPED.test(type) || (isWav ? WAV_TYPE : MPEG_TYPE).test(type);
  if (!isAsDeclared) return undefined;
  return isWav ? wavSeconds(bytes) : mpegSeconds(bytes);
}

const UNTYPED = /^(?:$|application\/octet-stream)/i;
const WAV_TYPE = /^[a-z]+\/[a-z.-]*wave?\s*(?:;|$)/i;
const MPEG_TYPE = /^[a-z]+\/(?:x-)?(?:mp3|mpeg-?3?|mpga|mpa)\s*(?:;|$)/i;

/** PCM, float, A-law and mu-law, whose samples have a fixed size; other formats are compressed. */
const PLAIN_FORMATS: ReadonlySet<number> = new Set([1, 3, 6, 7]);
const EXTENSIBLE = 0xfffe;

/** Multimedia Programming Interface and Data Specifications 1.0, "WAVE". Does not trust the stated data size. */
function wavSeconds(bytes: Buffer): number | undefined {
  if (bytes.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  let bytesPerSecond: number | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const id = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (id === 'fmt ') {
      // Decoders disagree about which of two formats applies.
      if (bytesPerSecond !== undefined) return undefined;
      bytesPerSecond = minBytesPerSecond(bytes.subarray(at + 8, at + 8 + size));
      if (bytesPerSecond === undefined) return undefined;
    }
    at += 8 + size + (size % 2);
  }
  return bytesPerSecond === undefined ? undefined : bytes.length / bytesPerSecond;
}

/** Returns the lowest of the three declared byte rates, or undefined if one is zero or the format is compressed. */
function minBytesPerSecond(format: Buffer): number | undefined {
  if (format.length < 16) return undefined;
  const tag = format.readUInt16LE(0);
  const isPlain = PLAIN_FORMATS.has(
    tag === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : tag,
  );
  const rate = format.readUInt32LE(4);
  const sampleBytes = Math.ceil(format.readUInt16LE(14) / 8) * format.readUInt16LE(2);
  const least = Math.min(format.readUInt32LE(8), rate * format.readUInt16LE(12), rate * sampleBytes);
  return isPlain && least > 0 ? least : undefined;
}

/** kbit/s by bitrate index 1 to 14 (ISO/IEC 11172-3 2.4.2.3, 13818-3 2.4.2.3); index 0 is free format. */
const KBITS = {
  v1: {
    1: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  },
  v2: {
    1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    3: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  },
} as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;
/** By the two version bits: 2.5, reserved, 2, 1. */
const RATE_DIVISORS = [4, undefined, 2, 1] as const;
const LAYERS = [undefined, 3, 2, 1] as const;

interface MpegFrame {
  readonly bytes: number;
  readonly samples: number;
  readonly sampleRate: number;
}

/** Adds up all frames, which must be contiguous, from the end of the ID3v2 tags to an ID3v1 tag or the last byte. */
function mpegSeconds(bytes: Buffer): number | undefined {
  const first = audioStart(bytes);
  let at = first;
  let frames = 0;
  let seconds = 0;
  while (at < bytes.length && bytes.toString('latin1', at, at + 3) !== 'TAG') {
    const frame = mpegFrame(bytes, at);
    if (frame === undefined) return undefined;
    at += frame.bytes;
    frames += 1;
    seconds += frame.samples / frame.sampleRate;
  }
  if (frames === 0 || bytes.length - at > 128 || claimedFrames(bytes, first) > frames + 1) return undefined;
  return seconds;
}

/**
 * Returns the offset after all ID3 tags (ID3v2.4 structure, section 3.1). Sizes have seven bits per byte, and exclude
 * the header and the footer, which have 10 bytes each.
 */
function audioStart(bytes: Buffer): number {
  let at = 0;
  while (bytes.length >= at + 10 && bytes.toString('latin1', at, at + 3) === 'ID3') {
    const size = bytes.subarray(at + 6, at + 10).reduce((sum, seven) => sum * 128 + (seven & 0x7f), 0);
    at += 10 + size + (((bytes[at + 5] ?? 0) & 0x10) === 0 ? 0 : 10);
  }
  return at;
}

function mpegFrame(bytes: Buffer, at: number): MpegFrame | undefined {
  const [sync = 0, kind = 0, rates = 0] = bytes.subarray(at, at + 3);
  const divisor = RATE_DIVISORS[(kind >> 3) & 3];
  const layer = LAYERS[(kind >> 1) & 3];
  const sampleRate = SAMPLE_RATES[(rates >> 2) & 3];
  if (sync !== 0xff || (kind & 0xe0) !== 0xe0) return undefined;
  if (divisor === undefined || layer === undefined || sampleRate === undefined) return undefined;
  const kbits = KBITS[divisor === 1 ? 'v1' : 'v2'][layer][(rates >> 4) - 1];
  if (kbits === undefined) return undefined;
  const samples = layer === 1 ? 384 : layer === 3 && divisor > 1 ? 576 : 1_152;
  const slotBytes = layer === 1 ? 4 : 1;
  const slots = Math.floor((samples * kbits * 125 * divisor) / (sampleRate * slotBytes));
  return {
    bytes: (slots + ((rates >> 1) & 1)) * slotBytes,
    samples,
    sampleRate: sampleRate / divisor,
  };
}

/**
 * Returns the frame count claimed by a variable-bitrate header in the first frame, which some readers trust; 0 without
 * one.
 */
function claimedFrames(bytes: Buffer, first: number): number {
  const head = bytes.subarray(first, first + 256);
  for (const [tag, offset] of [
    ['Xing', 8],
    ['Info', 8],
    ['VBRI', 14],
  ] as const) {
    const at = head.indexOf(tag);
    if (at >= 0 && at + offset + 4 <= head.length) {
      const hasCount = tag === 'VBRI' || ((head[at + 7] ?? 0) & 1) === 1;
      if (hasCount) return head.readUInt32BE(at + offset);
    }
  }
  return 0;
}
