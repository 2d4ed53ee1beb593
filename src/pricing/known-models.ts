import type { OutputModality } from '../providers/request-facts.ts';
import { RecentMap } from '../recent-map.ts';

/**
 * Maximum output of well-known model families in tokens, because providers refuse larger limits. The first match
 * wins. The price table lacks these figures; the sources are the providers' model pages
 * (platform.openai.com/docs/models, platform.claude.com/docs/models, ai.google.dev/gemini-api/docs/models,
 * api-docs.deepseek.com, docs.cohere.com/docs/models, docs.aws.amazon.com/nova, console.groq.com/docs/models).
 */
const MAX_OUTPUT_TOKENS: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/claude-(?:v?[12]|instant)/, 4_096],
  [/claude-3-(?:opus|sonnet|haiku)/, 4_096],
  [/claude-3[-.]5/, 8_192],
  [/claude-3[-.]7/, 64_000],
  [/claude-(?:opus-4-[01]\b|opus-4-20|opus-4$|opus-4@)/, 32_000],
  [/claude-(?:sonnet|haiku|opus|fable)-\d/, 64_000],
  [/gpt-3\.5|gpt-35/, 4_096],
  [/gpt-4-(?:turbo|vision|\d{4}-preview)|gpt-4-(?:1106|0125)/, 4_096],
  [/gpt-4o-2024-05-13/, 4_096],
  [/gpt-4o-(?:mini-)?(?:realtime|transcribe)/, 4_096],
  [/gpt-4o|chatgpt-4o/, 16_384],
  [/gpt-4\.1/, 32_768],
  [/gpt-4\.5/, 16_384],
  [/gpt-4/, 4_096],
  [/gpt-5[^/]{0,256}-chat/, 16_384],
  [/gpt-[56]/, 128_000],
  [/gpt-oss/, 32_768],
  [/(?:^|\/)o1-preview/, 32_768],
  [/(?:^|\/)o1-mini/, 65_536],
  [/(?:^|\/)o[134](?:-|$)/, 100_000],
  [/gemini-(?:1\.|flash-1|pro-1|2\.0|pro)/, 8_192],
  [/gemini-[^/]{0,256}(?:image|tts|live)/, 8_192],
  [/gemini-[23]/, 65_535],
  [/deepseek-reasoner/, 32_768],
  [/deepseek-chat/, 8_192],
  [/command-a/, 8_000],
  [/command/, 4_000],
  [/amazon\.nova/, 5_000],
  [/meta\.llama/, 2_048],
  [/llama-3\.3-70b-versatile/, 32_768],
];

/** Context windows that the price table lacks or understates. 0 keeps the listed one. */
const CONTEXT_TOKENS: readonly (readonly [name: RegExp, tokens: number])[] = [
  [/gemini-(?:1\.5-pro|pro-1\.5)/, 2_097_152],
  [/gemini-[^/]{0,256}(?:image|tts|live|audio|embedding)/, 0],
  [/gemini-(?:1\.5|[2-9]|flash|pro-latest)/, 1_048_576],
  [/gpt-4\.1/, 1_047_576],
  [/grok-4(?:[-.]1)?-fast/, 2_000_000],
];

/** Returns the larger of the listed and the known context window, or undefined if neither is known. */
export function contextTokensOf(model: string, listed: number | undefined): number | undefined {
  const name = model.toLowerCase();
  const known = CONTEXT_TOKENS.find(([pattern]) => pattern.test(name))?.[1] ?? 0;
  return known === 0 ? listed : Math.max(known, listed ?? 0);
}

export function knownMaxOutputTokens(model: string): number | undefined {
  const name = model.toLowerCase();
  return MAX_OUTPUT_TOKENS.find(([pattern]) => pattern.test(name))?.[1];
}

/** Patterns in the names of models that output audio, images or video by default (per provider documentation). */
const BY_NATURE: readonly (readonly [word: RegExp, output: OutputModality])[] = [
  [/(?:^|[-/._])(?:tts|lyria|realtime|live|sonic|speech|voice|music)(?=$|[-/._:@\d])/, 'audio'],
  [/native-audio|qwen[\d.]*-omni/, 'audio'],
  [/(?:^|[-/._])(?:image|imagen|imagine|dall-e|flux|canvas|recraft|seedream)(?=$|[-/._:@\d])/, 'image'],
  [/nova-\d-omni|stable-(?:diffusion|image)/, 'image'],
  [/(?:^|[-/._])(?:veo|sora|reel|video)(?=$|[-/._:@\d])|gemini-omni/, 'video'],
];

/** Number of characters matched. Longer names are not real models, and must not cost time. */
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
