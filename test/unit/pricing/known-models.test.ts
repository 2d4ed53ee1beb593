import { describe, expect, it } from 'vitest';
import { naturalOutputs } from '../../../src/pricing/known-models.ts';

describe('the default outputs of a model', () => {
  it.each<[string, string[]]>([
    ['gemini-2.5-flash-preview-tts', ['audio']],
    ['google/lyria-3-clip-preview', ['audio']],
    ['gemini-2.5-flash-native-audio-preview-09-2025', ['audio']],
    ['amazon.nova-2-sonic-v1:0', ['audio']],
    ['gpt-4o-mini-tts', ['audio']],
    ['Qwen/Qwen2.5-Omni-7B', ['audio']],
    ['gemini-2.5-flash-image', ['image']],
    ['gemini-2.0-flash-preview-image-generation', ['image']],
    ['openai/gpt-5-image-mini', ['image']],
    ['black-forest-labs/FLUX.1-schnell', ['image']],
    ['gemini-omni-flash-preview', ['video']],
    ['veo-3.1', ['video']],
  ])('%s: %j', (model, outputs) => {
    expect(naturalOutputs(model)).toEqual(outputs);
  });

  it.each([
    'gpt-4o',
    'gpt-4o-audio-preview',
    'gpt-audio',
    'claude-sonnet-4-5',
    'gemini-2.5-flash',
    'meta-llama/llama-3.2-11b-vision-instruct',
    'mistral.voxtral-small-24b-2507',
    'omni-moderation-latest',
    'imagery',
    'livelier',
    '-'.repeat(100_000),
  ])('%s: only text', (model) => {
    expect(naturalOutputs(model)).toEqual([]);
  });
});
