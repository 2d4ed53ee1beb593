import type { OutputModality } from '../providers/request-facts.ts';
import { RecentMap } from '../recent-map.ts';

/**
 * Words in the names of models that answer with audio, images or video by default (ai.google.dev, speech and image
 * generation; openrouter.ai, image generation; docs.aws.amazon.com, Nova).
 */
const BY_NATURE: readonly (readonly [word: RegExp, output: OutputModality])[] = [
  [/(?:^|[-/._])(?:tts|lyria|realtime|live|sonic|speech|voice|music)(?=$|[-/._:@\d])/, 'audio'],
  [/native-audio|qwen[\d.]*-omni/, 'audio'],
  [/(?:^|[-/._])(?:image|imagen|imagine|dall-e|flux|canvas|recraft|seedream)(?=$|[-/._:@\d])/, 'image'],
  [/nova-\d-omni|stable-(?:diffusion|image)/, 'image'],
  [/(?:^|[-/._])(?:veo|sora|reel|video)(?=$|[-/._:@\d])|gemini-omni/, 'video'],
];

/** Longer names are invented, and must not cost time. */
const MAX_NAME_CHARS = 256;

export function naturalOutputs(model: string): readonly OutputModality[] {
  const name = model.slice(0, MAX_NAME_CHARS).toLowerCase();
  const known = recent.get(name);
  if (known !== undefined) return known;
  const outputs = BY_NATURE.flatMap(([word, output]) => (word.test(name) ? [output] : []));
  recent.set(name, outputs);
  return outputs;
}

const recent = new RecentMap<readonly OutputModality[]>(256);
