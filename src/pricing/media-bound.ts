import type { Media, ProviderName } from '../providers/provider.ts';
import { imageSize } from './image-size.ts';

/**
 * The most tokens that a provider makes of one image of any size, detail setting as dear as it comes: OpenAI's
 * tiles (gpt-4o-mini: 2,833 + 8 x 5,667; the others 85 + 8 x 170) and patches (10,000 at "original" detail),
 * Claude's 4,784 at high resolution, Gemini's 258 for each of 16 tiles of 768 px (platform.openai.com, images;
 * platform.claude.com, vision; ai.google.dev, image understanding). Where nothing is published: 10,000.
 */
const MAX_IMAGE_TOKENS: Readonly<Partial<Record<ProviderName, number>>> = {
  anthropic: 5_000,
  bedrock: 5_000,
  gemini: 4_400,
  mistral: 4_400,
  xai: 1_800,
};
const DEFAULT_MAX_IMAGE_TOKENS = 10_000;
const MINI_MAX_IMAGE_TOKENS = 48_200;

/** Speech codecs go down to 6 kbit/s (Opus), and the densest count is Gemini's 32 tokens a second. */
const MIN_AUDIO_BYTES_PER_SECOND = 750;
const AUDIO_TOKENS_PER_SECOND = 32;

/** Film under 64 kbit/s is not to be watched; one frame a second at 258 tokens, sound at 32. */
const MIN_VIDEO_BYTES_PER_SECOND = 8_000;
const VIDEO_TOKENS_PER_SECOND = 300;

/** A page goes in as its text (up to 3,000 tokens) and as an image. */
const PAGE_TOKENS = 8_000;
const PDF_PAGE = /\/Type\s*\/Page(?![a-zA-Z])/g;
const PDF_PAGE_COUNT = /\/Count\s+(\d{1,6})/g;

export interface MediaModel {
  readonly provider: ProviderName;
  readonly model: string;
  /** What a single input can cost at most: the model's context window. */
  readonly contextTokens: number;
}

/** The most tokens that one piece of media can be billed as. */
export function mediaTokens(media: Media, target: MediaModel): number {
  const data = media.source === 'inline' ? media.data : undefined;
  switch (media.kind) {
    case 'image':
      return imageTokens(data, target);
    case 'audio':
      return perSecond(data, MIN_AUDIO_BYTES_PER_SECOND, AUDIO_TOKENS_PER_SECOND, target);
    case 'video':
      return perSecond(data, MIN_VIDEO_BYTES_PER_SECOND, VIDEO_TOKENS_PER_SECOND, target);
    case 'document':
      return data === undefined ? target.contextTokens : documentTokens(data, target);
  }
}

function imageTokens(data: string | undefined, { provider, model }: MediaModel): number {
  const mini = model.includes('4o-mini');
  const flat = mini ? MINI_MAX_IMAGE_TOKENS : (MAX_IMAGE_TOKENS[provider] ?? DEFAULT_MAX_IMAGE_TOKENS);
  const size = data === undefined || mini ? undefined : imageSize(data);
  return size === undefined ? flat : Math.min(flat, tokensOfPixels(provider, size.width, size.height));
}

/** By each provider's own rule, rounded up; others are taken to cut patches of 14 px, the finest in use. */
function tokensOfPixels(provider: ProviderName, width: number, height: number): number {
  const squares = (edge: number): number => Math.ceil(width / edge) * Math.ceil(height / edge);
  switch (provider) {
    case 'anthropic':
      return Math.ceil((width * height) / 750) + 10;
    case 'openai':
    case 'azure':
      return Math.max(85 + 170 * squares(512), Math.ceil(2.5 * squares(32)));
    case 'gemini':
      // A tile may be as small as 256 px (crop unit), and a new model bills up to 1,120 for any image.
      return Math.max(258 * squares(256), 1_120);
    default:
      return squares(14) + 64;
  }
}

function perSecond(
  data: string | undefined,
  minBytesPerSecond: number,
  tokensPerSecond: number,
  { contextTokens }: MediaModel,
): number {
  return data === undefined
    ? contextTokens
    : Math.min(contextTokens, Math.ceil(bytesOf(data) / minBytesPerSecond) * tokensPerSecond);
}

/** A PDF by the pages found in it (compressed ones hide them: then any number); other documents by their bytes. */
function documentTokens(data: string, { contextTokens }: MediaModel): number {
  const bytes = Buffer.from(data, 'base64');
  if (!bytes.subarray(0, 1024).includes('%PDF')) {
    return Math.min(contextTokens, bytes.length);
  }
  const text = bytes.toString('latin1');
  let pages = [...text.matchAll(PDF_PAGE)].length;
  for (const [, count] of text.matchAll(PDF_PAGE_COUNT)) {
    pages = Math.max(pages, Number(count));
  }
  const hidden = pages === 0 || text.includes('/ObjStm');
  return hidden ? contextTokens : Math.min(contextTokens, pages * PAGE_TOKENS);
}

function bytesOf(base64: string): number {
  return Math.ceil((base64.length * 3) / 4);
}
