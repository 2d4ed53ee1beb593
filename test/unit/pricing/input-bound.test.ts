import { countTokens as countOlderTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, it } from 'vitest';
import { imageSize } from '../../../src/pricing/image-size.ts';
import { byteBound, countedBound, countedInput, requestUnits } from '../../../src/pricing/input-bound.ts';
import { mediaTokens } from '../../../src/pricing/media-bound.ts';
import type { Media, ProviderName, RequestFacts } from '../../../src/providers/provider.ts';

function facts(more: Partial<RequestFacts> = {}): RequestFacts {
  return {
    model: 'm',
    models: ['m'],
    stream: false,
    texts: [],
    media: [],
    tools: [],
    providerTools: [],
    choices: 1,
    output: undefined,
    unseenContent: false,
    ...more,
  };
}

const say = (text: string) => ({ role: 'user' as const, kind: 'text' as const, text, path: ['x'] });

function source(request: RequestFacts, bodyBytes: number, provider: ProviderName = 'openai') {
  return { provider, request, bodyBytes, contextTokens: 100_000 };
}

function png(width: number, height: number): string {
  const bytes = Buffer.alloc(64);
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes.toString('base64');
}

function jpeg(width: number, height: number): string {
  // SOI, an APP0 of 4 bytes, a DHT (C4, no frame), then SOF2.
  const bytes = Buffer.from('ffd8ffe000041122ffc400040000ffc2000b08000000000101', 'hex');
  bytes.writeUInt16BE(height, bytes.length - 6);
  bytes.writeUInt16BE(width, bytes.length - 4);
  return bytes.toString('base64');
}

function gif(width: number, height: number): string {
  const bytes = Buffer.alloc(32);
  bytes.write('GIF89a', 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes.toString('base64');
}

function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): string {
  const bytes = Buffer.alloc(64);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write(`WEBP${kind}`, 8, 'latin1');
  if (kind === 'VP8 ') {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else if (kind === 'VP8L') {
    bytes[20] = 0x2f;
    bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  } else {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  }
  return bytes.toString('base64');
}

describe('imageSize', () => {
  it.each([
    ['PNG', png(640, 480)],
    ['JPEG', jpeg(640, 480)],
    ['GIF', gif(640, 480)],
    ['WebP lossy', webp('VP8 ', 640, 480)],
    ['WebP lossless', webp('VP8L', 640, 480)],
    ['WebP extended', webp('VP8X', 640, 480)],
  ])('reads the pixels of a %s', (_kind, data) => {
    expect(imageSize(data)).toEqual({ width: 640, height: 480 });
  });

  it('reads nothing of what is none, cut off at any byte', () => {
    for (const data of [png(9, 9), jpeg(9, 9), gif(9, 9), webp('VP8X', 9, 9)]) {
      const bytes = Buffer.from(data, 'base64');
      for (let length = 0; length < bytes.length; length++) {
        const size = imageSize(bytes.subarray(0, length).toString('base64'));
        expect(size ?? { width: 9, height: 9 }).toEqual({ width: 9, height: 9 });
      }
    }
    expect(imageSize('')).toBeUndefined();
    expect(imageSize(png(0, 5))).toBeUndefined();
    expect(imageSize(Buffer.from(`ffd8${'ffff'.repeat(50)}`, 'hex').toString('base64'))).toBeUndefined();
  });
});

describe('mediaTokens', () => {
  const tokens = (media: Media, provider: ProviderName = 'openai', model = 'gpt-4o'): number =>
    mediaTokens(media, { provider, model, contextTokens: 100_000 });
  const image = (data: string): Media => ({ kind: 'image', source: 'inline', data });

  it('bounds an image by its pixels, and by the provider’s maximum', () => {
    expect(tokens(image(png(512, 512)))).toBe(640);
    expect(tokens(image(png(20_000, 20_000)))).toBe(10_000);
    expect(tokens(image(png(750, 100)), 'anthropic')).toBe(110);
    expect(tokens(image(png(20_000, 20_000)), 'anthropic')).toBe(5_000);
    expect(tokens(image('not an image'))).toBe(10_000);
    expect(tokens(image(png(10, 10)), 'openai', 'gpt-4o-mini')).toBe(48_200);
  });

  it('takes an image that it cannot see for the largest', () => {
    expect(tokens({ kind: 'image', source: 'url' }, 'anthropic')).toBe(5_000);
    expect(tokens({ kind: 'image', source: 'id' }, 'gemini')).toBe(4_400);
  });

  it('bounds sound by its bytes at the lowest bit rate', () => {
    const second: Media = { kind: 'audio', source: 'inline', data: 'A'.repeat(1_000) };
    expect(tokens(second)).toBe(32);
    expect(tokens({ kind: 'audio', source: 'inline', data: 'A'.repeat(100_000_000) })).toBe(100_000);
    expect(tokens({ kind: 'audio', source: 'url' })).toBe(100_000);
  });

  it('bounds a PDF by its pages, and by the context where they are hidden', () => {
    const pdf = (body: string): Media => ({
      kind: 'document',
      source: 'inline',
      data: Buffer.from(`%PDF-1.7\n${body}`).toString('base64'),
    });
    const page = '<< /Type /Page >>\n';
    expect(tokens(pdf(`<< /Type /Pages /Count 2 >>${page.repeat(2)}`))).toBe(16_000);
    expect(tokens(pdf(`<< /Type/Pages /Count 9 >>${page}`))).toBe(72_000);
    expect(tokens(pdf(`${page} << /Type /ObjStm >>`))).toBe(100_000);
    expect(tokens(pdf(''))).toBe(100_000);
    expect(tokens({ kind: 'document', source: 'id' })).toBe(100_000);
  });
});

describe('the input bound', () => {
  it('by bytes costs nothing and takes media out', () => {
    const data = 'A'.repeat(4_000);
    const request = facts({ media: [{ kind: 'audio', source: 'inline', data }] });
    expect(byteBound(source(request, 4_500))).toEqual({ textTokens: 564, audioTokens: 128 });
  });

  it('by counting is closer, and never over the bytes', () => {
    const text = 'the quick brown fox jumps over the lazy dog '.repeat(100);
    const request = facts({ texts: [say(text)] });
    const cheap = byteBound(source(request, text.length + 80)).textTokens;
    const counted = countedBound(source(request, text.length + 80)).textTokens;
    expect(counted).toBeLessThan(cheap / 3);
    expect(counted).toBeGreaterThan(countedInput('openai', request));
    const dense = facts({ texts: [say('!?'.repeat(10))] });
    expect(countedBound(source(dense, 20)).textTokens).toBeLessThanOrEqual(
      byteBound(source(dense, 20)).textTokens,
    );
  });

  it.each<[ProviderName, string, string]>([
    ['openai', 'gpt-4-turbo', 'ဒီစာကြောင်းကို မြန်မာဘာသာနဲ့ ရေးထားပါတယ်'],
    ['groq', 'llama-3.3-70b-versatile', 'నేను తెలుగులో ఒక పొడవైన వాక్యాన్ని వ్రాస్తున్నాను'],
    ['together', 'meta-llama/Llama-3.3-70B', 'ይህ ጽሑፍ በአማርኛ ቋንቋ የተጻፈ ነው'],
  ])(
    'of %s %s by counting is not under what an older vocabulary makes of %s',
    (provider, model, sentence) => {
      const text = sentence.repeat(20);
      const request = facts({ model, texts: [say(text)] });
      const bound = countedBound({ ...source(request, Buffer.byteLength(text) + 80), provider });
      expect(bound.textTokens).toBeGreaterThan(countOlderTokens(text));
    },
  );

  it('of digits by counting is one token for each, as in vocabularies that split numbers', () => {
    const request = facts({ model: 'gemini-2.5-pro', texts: [say('7'.repeat(1_000))] });
    const bound = countedBound({ ...source(request, 1_080), provider: 'gemini' });
    expect(bound.textTokens).toBeGreaterThan(1_000);
  });

  it('has room for what a provider writes around tools', () => {
    expect(byteBound(source(facts({ tools: ['t'] }), 100)).textTokens).toBe(100 + 64 + 1_024);
  });

  it('of content that nobody sees is the whole context', () => {
    expect(byteBound(source(facts({ unseenContent: true }), 100)).textTokens).toBe(100_000);
    expect(countedBound(source(facts({ unseenContent: true }), 100)).textTokens).toBe(100_000);
  });
});

describe('requestUnits', () => {
  it('are Cohere’s search units for reranking, and 1 elsewhere', () => {
    const documents = (count: number, chars = 10) =>
      facts({ texts: Array.from({ length: count }, () => say('x'.repeat(chars))) });
    expect(requestUnits('rerank', documents(99))).toBe(1);
    expect(requestUnits('rerank', documents(101))).toBe(2);
    expect(requestUnits('rerank', documents(50, 1_000))).toBe(2);
    expect(requestUnits('chat', documents(500))).toBe(1);
  });
});
