/** Small files in many container formats, made by their specifications. */

type Part = string | Buffer | readonly number[];

export function file(...parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
}

function be(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
}
function le(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
}

const pngChunk = (type: string, data: Buffer): Buffer => file(be(data.length, 4), type, data, be(0, 4));

export function png(width: number, height: number, ...more: readonly string[]): Buffer {
  const header = file(be(width, 4), be(height, 4), [8, 2, 0, 0, 0]);
  return file(
    '\x89PNG\r\n\x1a\n',
    pngChunk('IHDR', header),
    ...more.map((type) => pngChunk(type, Buffer.alloc(8))),
    pngChunk('IDAT', Buffer.alloc(8)),
    pngChunk('IEND', Buffer.alloc(0)),
  );
}

const segment = (marker: number, data: Buffer): Buffer => file([0xff, marker], be(data.length + 2, 2), data);
const frameHeader = (marker: number, width: number, height: number): Buffer =>
  segment(marker, file([8], be(height, 2), be(width, 2), [1, 1, 0x11, 0]));

export function jpeg(...sizes: readonly (readonly [width: number, height: number])[]): Buffer {
  return file(
    [0xff, 0xd8],
    // A preview in the camera's data, and a table whose marker is not that of a frame.
    segment(0xe1, file('Exif\0\0', [0xff, 0xd8], frameHeader(0xc0, 1, 1))),
    segment(0xc4, Buffer.alloc(2)),
    ...sizes.map(([width, height]) => frameHeader(0xc2, width, height)),
    segment(0xda, Buffer.alloc(6)),
    Buffer.alloc(16),
    [0xff, 0xd9],
  );
}

interface GifFrame {
  readonly left?: number;
  readonly top?: number;
  readonly width: number;
  readonly height: number;
}

export function gif(screen: readonly [number, number], ...frames: readonly GifFrame[]): Buffer {
  return file(
    'GIF89a',
    le(screen[0], 2),
    le(screen[1], 2),
    [0x80, 0, 0],
    Buffer.alloc(6),
    [0x21, 0xf9, 4, 0, 0, 0, 0, 0],
    ...frames.map(({ left = 0, top = 0, width, height }) =>
      file([0x2c], le(left, 2), le(top, 2), le(width, 2), le(height, 2), [0, 2, 2, 0x4c, 1, 0]),
    ),
    [0x3b],
  );
}

const riffChunk = (type: string, data: Buffer): Buffer =>
  file(type, le(data.length, 4), data, Buffer.alloc(data.length % 2));

const vp8 = (width: number, height: number): Buffer =>
  riffChunk('VP8 ', file([0x10, 0, 0, 0x9d, 1, 0x2a], le(width, 2), le(height, 2), Buffer.alloc(8)));
const vp8l = (width: number, height: number): Buffer =>
  riffChunk('VP8L', file([0x2f], le((width - 1) | ((height - 1) << 14), 4), Buffer.alloc(9)));
const vp8x = (width: number, height: number, flags = 0): Buffer =>
  riffChunk('VP8X', file([flags, 0, 0, 0], le(width - 1, 3), le(height - 1, 3)));

function riff(form: string, ...chunks: readonly Buffer[]): Buffer {
  const body = file(form, ...chunks);
  return file('RIFF', le(body.length, 4), body);
}

export const webp = {
  lossy: (width: number, height: number) => riff('WEBP', vp8(width, height)),
  lossless: (width: number, height: number) => riff('WEBP', vp8l(width, height)),
  /** A canvas, and its picture. */
  extended: (canvas: readonly [number, number], picture: readonly [number, number]) =>
    riff('WEBP', vp8x(...canvas), vp8(...picture)),
  animated: (width: number, height: number) => riff('WEBP', vp8x(width, height, 2), vp8(width, height)),
};

export interface WavFormat {
  readonly tag?: number;
  readonly channels?: number;
  readonly rate?: number;
  readonly byteRate?: number;
  readonly blockAlign?: number;
  readonly bits?: number;
}

function wavFormat(format: WavFormat = {}): Buffer {
  const { tag = 1, channels = 1, rate = 16_000, bits = 16 } = format;
  const { blockAlign = (channels * bits) / 8, byteRate = rate * blockAlign } = format;
  return riffChunk(
    'fmt ',
    file(le(tag, 2), le(channels, 2), le(rate, 4), le(byteRate, 4), le(blockAlign, 2), le(bits, 2)),
  );
}

/** A WAV with this many bytes of samples; its chunk claims `says` bytes. */
export function wav(format: WavFormat, sampleBytes: number, says = sampleBytes): Buffer {
  return riff('WAVE', wavFormat(format), file('data', le(says, 4), Buffer.alloc(sampleBytes)));
}

export const twoFormatWav = (sampleBytes: number): Buffer =>
  riff(
    'WAVE',
    wavFormat({ rate: 48_000 }),
    wavFormat({ rate: 1 }),
    riffChunk('data', Buffer.alloc(sampleBytes)),
  );

/** MPEG 1 layer III at 44.1 kHz: 417 bytes a frame at 128 kbit/s. `first` is in the first frame. */
export function mp3(
  frames: number,
  first = '',
  header: readonly number[] = [0xff, 0xfb, 0x90, 0xc4],
): Buffer {
  const frame = Buffer.concat([Buffer.from(header), Buffer.alloc(413)]);
  const head = Buffer.from(frame);
  head.write(first, 36, 'latin1');
  return file(head, ...Array.from({ length: frames - 1 }, () => frame));
}

/** An ID3v2.4 tag around a picture. */
export const id3 = (bytes: number): Buffer =>
  file('ID3', [4, 0, 0, 0, 0, bytes >> 7, bytes & 0x7f], Buffer.alloc(bytes));

/** Ten seconds a frame: constant subframes of 65,535 samples at 6.5 kHz. */
export const flacOfSilence = (frames: number): Buffer =>
  file('fLaC', [0x80, 0, 0, 34], Buffer.alloc(34), Buffer.alloc(14 * frames, 0xff));

const box = (type: string, data: Buffer): Buffer => file(be(data.length + 8, 4), type, data);

/** A film of one picture that claims to last a second. */
export const film = (): Buffer =>
  file(box('ftyp', file('isom', be(0, 4), 'isommp41')), box('moov', Buffer.alloc(64)));

export const heic = (brands: string, ...more: readonly string[]): Buffer =>
  file(
    box('ftyp', file(brands.slice(0, 4), be(0, 4), brands)),
    ...['meta', 'mdat', ...more].map((type) => box(type, Buffer.alloc(32))),
  );

export const tiff = (): Buffer => file('II*\0', le(8, 4), Buffer.alloc(64));

export const pdf = (body: string): Buffer => file(`%PDF-1.7\n${body}\n%%EOF\n`);
