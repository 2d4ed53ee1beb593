import { describe, expect, it } from 'vitest';
import { stillImage } from '../../../src/pricing/image-size.ts';
import { isSound, mediaBound } from '../../../src/pricing/media-bound.ts';
import type { Media } from '../../../src/providers/request-facts.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';
import {
  file,
  film,
  flacOfSilence,
  gif,
  heic,
  id3,
  jpeg,
  mp3,
  pdf,
  png,
  tiff,
  twoFormatWav,
  wav,
  webp,
} from '../../support/media-files.ts';

const CONTEXT = 100_000;
const REMOTE = { source: 'url', address: 'https://x.test/a', path: [] } as const;
const KINDS = ['image', 'audio', 'video', 'document'] as const;

const inline = (kind: Media['kind'], bytes: Buffer, mimeType?: string): Media => ({
  kind,
  source: 'inline',
  data: bytes.toString('base64'),
  ...(mimeType !== undefined && { mimeType }),
});

function tokens(media: Media, provider: ProviderName = 'openai', model = 'gpt-4o'): number {
  return mediaBound(media, { provider, models: [model], contextTokens: CONTEXT }).tokens;
}

const imageTokens = (bytes: Buffer): number => tokens(inline('image', bytes));
const soundTokens = (bytes: Buffer): number => tokens(inline('audio', bytes));

/** OpenAI's tokens for 640 x 480 pixels, and for the largest image. */
const SMALL = 750;
const ANY_PICTURE = 10_000;

const PICTURES: readonly (readonly [string, Buffer])[] = [
  ['PNG', png(640, 480)],
  ['JPEG', jpeg([640, 480])],
  ['GIF', gif([640, 480], { width: 640, height: 480 })],
  ['lossy WebP', webp.lossy(640, 480)],
  ['lossless WebP', webp.lossless(640, 480)],
  ['extended WebP', webp.extended([640, 480], [640, 480])],
];

describe('an image is bounded by its pixels:', () => {
  it.each(PICTURES)('%s', (_kind, bytes) => {
    expect(stillImage(bytes)).toEqual({ size: { width: 640, height: 480 } });
    expect(imageTokens(bytes)).toBe(SMALL);
  });

  it.each(PICTURES)('%s, truncated at any byte, does not become smaller', (_kind, bytes) => {
    for (let length = 0; length < bytes.length; length++) {
      expect(imageTokens(bytes.subarray(0, length))).toBeGreaterThanOrEqual(SMALL);
    }
  });

  it('by each provider’s rule and maximum', () => {
    expect(imageTokens(png(512, 512))).toBe(640);
    expect(imageTokens(png(20_000, 20_000))).toBe(ANY_PICTURE);
    expect(tokens(inline('image', png(750, 100)), 'anthropic')).toBe(110);
    expect(tokens(inline('image', png(20_000, 20_000)), 'anthropic')).toBe(5_000);
    expect(tokens(inline('image', png(10, 10)), 'openai', 'gpt-4o-mini')).toBe(48_200);
    expect(tokens({ kind: 'image', ...REMOTE }, 'anthropic')).toBe(5_000);
    expect(tokens({ kind: 'image', source: 'id' }, 'gemini')).toBe(4_400);
    expect(tokens(inline('image', png(10, 10)), 'openrouter')).toBe(ANY_PICTURE);
  });

  it('by the rule of a deployment’s model', () => {
    const models = ['mine', 'gpt-4o-mini'];
    const target = { provider: 'azure', models, contextTokens: CONTEXT } as const;
    expect(mediaBound(inline('image', png(10, 10)), target).tokens).toBe(48_200);
  });
});

describe('an image without a readable size counts as the largest:', () => {
  it.each<[string, Buffer]>([
    ['a GIF whose screen is smaller than its frame', gif([1, 1], { width: 20_000, height: 20_000 })],
    [
      'a GIF whose frame lies outside its screen',
      gif([1, 1], { left: 60_000, top: 60_000, width: 9, height: 9 }),
    ],
    ['a JPEG with two frames', jpeg([1, 1], [20_000, 20_000])],
    ['a JPEG whose height follows its data', jpeg([9, 0])],
    ['a JPEG without a frame', jpeg()],
    ['a PNG with two headers', png(1, 1, 'IHDR')],
    ['a WebP with a canvas of one pixel', webp.extended([1, 1], [16_000, 16_000])],
    ['a BMP', file('BM', Buffer.alloc(64))],
    ['a HEIC', heic('heicmif1')],
    ['an AVIF', heic('avifmif1')],
  ])('%s', (_what, bytes) => {
    expect(imageTokens(bytes)).toBe(ANY_PICTURE);
  });
});

describe('unbounded media count as the whole context:', () => {
  const frame = { width: 9, height: 9 };
  const rows: readonly (readonly [string, Media])[] = [
    ['an animated GIF', inline('image', gif([9, 9], frame, frame))],
    ['an animated PNG', inline('image', png(9, 9, 'acTL'))],
    ['an animated WebP', inline('image', webp.animated(9, 9))],
    ['a HEIC with a video', inline('image', heic('heicmif1', 'moov'))],
    ['an AVIF sequence', inline('image', heic('avifavis'))],
    ['a TIFF, which has pages', inline('image', tiff())],
    ['an SVG', inline('image', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml')],
    ['a picture of an unknown kind', inline('image', Buffer.from('not an image'))],
    ['a FLAC of silence', inline('audio', flacOfSilence(10))],
    ['an Ogg file', inline('audio', file('OggS', Buffer.alloc(64)))],
    ['an AAC file', inline('audio', file([0xff, 0xf1, 0x50, 0x80, 0, 0x1f, 0xfc], Buffer.alloc(64)))],
    ['an M4A', inline('audio', file([0, 0, 0, 16], 'ftypM4A ', Buffer.alloc(64)))],
    ['a WebM', inline('audio', file([0x1a, 0x45, 0xdf, 0xa3], Buffer.alloc(64)))],
    ['raw samples', inline('audio', Buffer.alloc(3_200), 'audio/pcm')],
    ['audio at a URL', { kind: 'audio', ...REMOTE }],
    ['a video of one frame', inline('video', film())],
    ['a video at a URL', { kind: 'video', ...REMOTE }],
    ['a PDF', inline('document', pdf('<< /Type /Page >>'))],
    ['a PDF with escaped names', inline('document', pdf('<< /Type /P#61ge >>'))],
    ['a PDF with a false count', inline('document', pdf('<< /Type /Pages /Count 1 >>'))],
    ['a PDF after junk', inline('document', file('x'.repeat(5_000), pdf('')))],
    ['a zipped document', inline('document', file('PK\x03\x04', Buffer.alloc(64)))],
    ['a document by id', { kind: 'document', source: 'id' }],
    ['text that is declared as a PDF', inline('document', Buffer.from('words'), 'application/pdf')],
    ['a PDF that is declared as a picture', inline('image', pdf(''), 'image/png')],
    ['a picture that is declared as a PDF', inline('image', png(9, 9), 'application/pdf')],
    ['a picture that is declared as a video', inline('image', png(9, 9), 'video/mp4')],
    ['a video that is declared as audio', inline('audio', film(), 'audio/wav')],
    ['URL-safe Base64', { kind: 'image', source: 'inline', data: `${png(9, 9).toString('base64')}-_` }],
    [
      'Base64 with other characters',
      { kind: 'image', source: 'inline', data: `!${png(9, 9).toString('base64')}` },
    ],
    [
      'Base64 with data after its padding',
      { kind: 'image', source: 'inline', data: `${png(9, 9).toString('base64')}==AAAA` },
    ],
    ['bytes in another form', { kind: 'image', source: 'inline' }],
  ];
  it.each(rows)('%s', (_what, media) => {
    expect(tokens(media)).toBe(CONTEXT);
  });
});

describe('audio is bounded by its samples and frames:', () => {
  it('a WAV, with any sizes in its chunks', () => {
    const second = { rate: 16_000, bits: 16 };
    expect(soundTokens(wav(second, 320_000))).toBe(12 * 32);
    for (const says of [0, 1, 0xffffffff])
      expect(soundTokens(wav(second, 320_000, says))).toBeGreaterThanOrEqual(352);
  });

  it('a WAV or an MP3 only under its own type: under another, the same bytes may last longer', () => {
    const files = [
      [wav({}, 320_000), ['audio/wav', 'audio/x-wav', 'audio/vnd.wave', 'Audio/WAVE; codecs=1']],
      [mp3(380), ['audio/mpeg', 'audio/mp3', 'audio/x-mp3', 'audio/mpga', 'application/octet-stream']],
    ] as const;
    const others = ['audio/flac', 'audio/l16;rate=8000', 'audio/pcm16', 'audio/g711_ulaw', 'audio/ogg'];
    for (const [bytes, types] of files) {
      for (const type of types) expect(tokens(inline('audio', bytes, type))).toBeLessThan(CONTEXT);
      for (const type of others) expect(tokens(inline('audio', bytes, type))).toBe(CONTEXT);
    }
    expect(tokens(inline('audio', files[0][0], 'audio/mp3'))).toBe(CONTEXT);
    expect(tokens(inline('audio', files[1][0], 'audio/wav'))).toBe(CONTEXT);
  });

  it.each<[string, Buffer]>([
    ['a rate of one sample a second', wav({ rate: 1 }, 320_000)],
    ['a wrong byte rate', wav({ byteRate: 1 }, 320_000)],
    ['a wrong block size', wav({ blockAlign: 0, byteRate: 32_000 }, 320_000)],
    ['no channels', wav({ channels: 0 }, 320_000)],
    ['a compressed format', wav({ tag: 0x11 }, 320_000)],
    ['an MP3 inside', wav({ tag: 0x55 }, 320_000)],
    ['two formats', twoFormatWav(320_000)],
  ])('a WAV with %s is the whole context', (_what, bytes) => {
    expect(soundTokens(bytes)).toBe(CONTEXT);
  });

  it('an MP3 by its frames, without tags', () => {
    // 383 frames of 1,152 samples are ten seconds.
    expect(soundTokens(mp3(383))).toBe(12 * 32);
    expect(soundTokens(file(id3(1_000), mp3(383), 'TAG', Buffer.alloc(125)))).toBe(12 * 32);
    expect(soundTokens(mp3(383, 'Xing\0\0\0\x01\0\0\x01\x7f'))).toBe(12 * 32);
    // The lowest rates: 8 kbit/s at 8 kHz, 72 bytes for 72 milliseconds.
    const slow = Buffer.concat(
      Array.from({ length: 1_000 }, () => file([0xff, 0xe3, 0x18, 0xc4], Buffer.alloc(68))),
    );
    expect(soundTokens(slow)).toBeGreaterThanOrEqual(72 * 32);
  });

  it.each<[string, Buffer]>([
    ['of free format', mp3(383, '', [0xff, 0xfb, 0x00, 0xc4])],
    ['with bytes between its frames', file(mp3(100), 'x', mp3(100))],
    ['that claims more frames in a Xing header', mp3(383, 'Xing\0\0\0\x01\x7f\xff\xff\xff')],
    ['that claims more frames in a VBRI header', mp3(383, `VBRI${'\0'.repeat(10)}\x7f\xff\xff\xff`)],
    ['that is only a tag', id3(500)],
  ])('an MP3 %s is the whole context', (_what, bytes) => {
    expect(soundTokens(bytes)).toBe(CONTEXT);
  });

  it('is recognized by its first bytes too', () => {
    for (const bytes of [wav({}, 9), mp3(1), flacOfSilence(1), file(id3(9), mp3(1)), file('OggS')]) {
      for (const kind of KINDS) expect(isSound(inline(kind, bytes))).toBe(true);
    }
    for (const bytes of [png(9, 9), jpeg([9, 9]), pdf(''), film()]) {
      expect(isSound(inline('document', bytes))).toBe(false);
    }
    expect(isSound({ kind: 'document', ...REMOTE, mimeType: 'Audio/mpeg' })).toBe(true);
  });
});

describe('a document of plain text', () => {
  it('is bounded by its bytes', () => {
    expect(tokens(inline('document', Buffer.from('ä few words')))).toBe(12);
    expect(tokens(inline('document', Buffer.from('x'.repeat(CONTEXT * 2))))).toBe(CONTEXT);
  });

  it('contains no audio, nor does a PDF, but unknown formats may', () => {
    const target = { provider: 'gemini', models: ['m'], contextTokens: CONTEXT } as const;
    const mayBeSound = (media: Media): boolean => mediaBound(media, target).mayBeSound;
    expect(
      [inline('document', Buffer.from('words')), inline('document', pdf('')), inline('image', png(9, 9))].map(
        mayBeSound,
      ),
    ).toEqual([false, false, false]);
    expect(
      [inline('document', flacOfSilence(1)), inline('video', film()), inline('image', Buffer.from('?'))].map(
        mayBeSound,
      ),
    ).toEqual([true, true, true]);
  });
});

describe('two million bytes', () => {
  it.each<[string, Buffer]>([
    [
      'of a GIF’s sub-blocks',
      file(gif([9, 9], { width: 9, height: 9 }).subarray(0, -1), Buffer.alloc(2e6, 1)),
    ],
    ['of a GIF’s junk', file(gif([9, 9]).subarray(0, -1), Buffer.alloc(2e6))],
    ['of a PNG’s empty chunks', file(png(9, 9).subarray(0, 33), Buffer.alloc(2e6))],
    ['of a JPEG’s fill bytes', file([0xff, 0xd8], Buffer.alloc(2e6, 0xff))],
    ['of a WAV’s empty chunks', file(wav({}, 0), Buffer.alloc(2e6))],
    ['of MP3 frames', mp3(4_800)],
    ['of words', Buffer.alloc(2e6, 'word ')],
  ])('%s are read in one pass', (_what, bytes) => {
    const media = KINDS.map((kind) => inline(kind, bytes));
    const before = process.cpuUsage();
    for (const item of media) tokens(item);
    expect(process.cpuUsage(before).user / 1_000 / media.length).toBeLessThan(50);
  });
});
