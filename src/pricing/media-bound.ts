import { tilesOf } from '../providers/descriptor.ts';
import type { Media } from '../providers/request-facts.ts';
import { providers, type Provider, type ProviderName } from '../providers/registry.ts';
import { stillImage } from './image-size.ts';
import { decodeBase64, hasDocumentMagic, isPlainText, isSoundFile } from './media-bytes.ts';
import { soundSeconds } from './sound-length.ts';

/** Upper bound for images of providers that publish no bound: OpenAI's 10,000 patches at "original" detail. */
export const DEFAULT_MAX_IMAGE_TOKENS = 10_000;
/** Upper bound for gpt-4o-mini, whose tiles cost more: 2,833 + 8 x 5,667 (platform.openai.com, images). */
const MINI_MAX_IMAGE_TOKENS = 48_200;

/** The highest published rate, Gemini's (ai.google.dev, audio understanding). */
const AUDIO_TOKENS_PER_SECOND = 32;

export interface MediaModel {
  readonly provider: ProviderName;
  /** Names of the models that may process the medium, as requested and as priced. */
  readonly models: readonly string[];
  /** Upper bound for a single input: the model's context window. */
  readonly contextTokens: number;
}

export interface MediaBound {
  readonly tokens: number;
  /** Whether the medium is or may contain audio, so that the higher of the audio and text prices applies. */
  readonly mayBeSound: boolean;
}

/** Returns the largest bound over all kinds that a medium may be, or the whole context if its bytes set no bound. */
export function mediaBound(media: Media, target: MediaModel): MediaBound {
  const bytes = media.data === undefined ? undefined : decodeBase64(media.data);
  const whole: MediaBound = {
    tokens: target.contextTokens,
    mayBeSound: bytes === undefined || !hasDocumentMagic(bytes) || isSoundType(media),
  };
  let largest: MediaBound = { tokens: 0, mayBeSound: false };
  for (const kind of kindsOf(media)) {
    const bound = boundAs(kind, media, bytes, target) ?? whole;
    largest = {
      tokens: Math.max(largest.tokens, bound.tokens),
      mayBeSound: largest.mayBeSound || bound.mayBeSound,
    };
  }
  return largest;
}

export function isSound(media: Media): boolean {
  const start = media.data === undefined ? undefined : Buffer.from(media.data.slice(0, 64), 'base64');
  return isSoundType(media) || (start !== undefined && isSoundFile(start));
}

function isSoundType({ kind, mimeType }: Media): boolean {
  return kind === 'audio' || (mimeType !== undefined && /^audio\//i.test(mimeType));
}

function kindsOf({ kind, mimeType }: Media): readonly Media['kind'][] {
  const family = mimeType?.split(/[/;]/, 1)[0]?.trim().toLowerCase();
  if (family === undefined || /^application\/octet-stream\b/i.test(mimeType ?? '')) return [kind];
  return family === 'image' || family === 'audio' || family === 'video' ? [kind, family] : [kind, 'document'];
}

function boundAs(
  kind: Media['kind'],
  media: Media,
  bytes: Buffer | undefined,
  target: MediaModel,
): MediaBound | undefined {
  if (kind === 'image') return imageBound(media, bytes, target);
  if (bytes === undefined) return undefined;
  switch (kind) {
    case 'audio': {
      const seconds = soundSeconds(bytes, media.mimeType);
      if (seconds === undefined) return undefined;
      const tokens = Math.min((Math.ceil(seconds) + 1) * AUDIO_TOKENS_PER_SECOND, target.contextTokens);
      return { tokens, mayBeSound: true };
    }
    // A few bytes can encode hours of a still image, and headers may state any length.
    case 'video':
      return undefined;
    // Compressed documents may expand a thousandfold, and PDFs may have any number of compressed pages.
    case 'document':
      return mayBeText(media.mimeType) && isPlainText(bytes)
        ? { tokens: Math.min(bytes.length, target.contextTokens), mayBeSound: false }
        : undefined;
  }
}

function mayBeText(mimeType = ''): boolean {
  return mimeType === '' || /^(?:text\/|application\/octet-stream\b)/i.test(mimeType);
}

/**
 * Returns undefined for inline images that are not recognized as still images. Images by URL or id get a flat bound.
 */
function imageBound(
  { source }: Media,
  bytes: Buffer | undefined,
  { provider, models }: MediaModel,
): MediaBound | undefined {
  const { pricing }: Provider = providers[provider];
  const { imageTokens = finestPatches } = pricing;
  const mini = models.some((model) => model.toLowerCase().includes('4o-mini'));
  const flat = mini ? MINI_MAX_IMAGE_TOKENS : (pricing.maxImageTokens ?? DEFAULT_MAX_IMAGE_TOKENS);
  if (source !== 'inline') return { tokens: flat, mayBeSound: false };
  const still = bytes && stillImage(bytes);
  if (still === undefined) return undefined;
  const pixels = still.size && imageTokens(still.size.width, still.size.height);
  return { tokens: mini || pixels === undefined ? flat : Math.min(flat, pixels), mayBeSound: false };
}

/** The finest patches in use are 14 px wide. */
function finestPatches(width: number, height: number): number {
  return tilesOf(width, height, 14) + 64;
}
