import type { Dialect, Endpoint, JsonObject, OutputLimit, RequestFacts } from '../provider.ts';
import { outputsOfBody } from './asked-outputs.ts';
import { optionalBoolean } from './fields.ts';
import { createGathered } from './json-text.ts';
import { createChoiceReader, readChoices } from './openai-choices.ts';
import { readTokenInput } from './openai-embeddings.ts';
import {
  askUsage,
  hidesReasoning,
  optionalPositive,
  readMembers,
  readModels,
  readOutputLimit,
  whyUnbounded,
} from './openai-request.ts';
import type { OpenaiVariant } from './openai-request.ts';
import { readToolSwitches, toolFacts } from './openai-tools.ts';
import { storedPrompt } from './stored-prompts.ts';
import { thinkingTokensOfBody } from './thinking-tokens.ts';

/** `POST …/completions`, and Mistral's and DeepSeek's fill-in-the-middle: a prompt instead of messages. */
export function openaiCompletions(variant: OpenaiVariant): Dialect {
  // The older endpoint knows `max_tokens` alone, also where chat has a newer name for it.
  const here: OpenaiVariant = { ...variant, limitFields: ['max_tokens'] };
  return {
    name: 'openai-completions',
    hasBody: true,
    ...(variant.bearsComments === false && { bearsComments: false }),
    request: (body, endpoint) => readCompletion(body, endpoint, here),
    answer: readChoices,
    stream: () => createChoiceReader(variant.cut),
  };
}

function readCompletion(body: JsonObject, endpoint: Endpoint, variant: OpenaiVariant): RequestFacts {
  const { model, models, online, preset } = readModels(body, endpoint, variant);
  const into = createGathered();
  readMembers(into, body, {
    prompt: (value) => readTokenInput(into, value, ['prompt']),
    suffix: (value) => readTokenInput(into, value, ['suffix']),
    prompt_embeds: () => (into.unseenContent = true),
  });
  const stream = optionalBoolean(body, 'stream');
  const each = Math.max(optionalPositive(body, 'n') ?? 1, optionalPositive(body, 'best_of') ?? 1);
  return {
    model,
    models,
    stream,
    texts: into.texts,
    media: into.media,
    ...toolFacts([...readToolSwitches(body, models), ...online], undefined),
    choices: each * promptCount(body.prompt),
    output: limitOf(body, variant),
    unseenContent: into.unseenContent || preset,
    ...(preset && { unbounded: 'preset' }),
    ...outputsOfBody(body),
    ...thinkingTokensOfBody(body),
    ...storedPrompt(body, models),
    ...whyUnbounded(body, variant),
    ...hidesReasoning(body),
    ...askUsage(body, stream, variant),
  };
}

/** The client's limit or the endpoint's own, which is low enough to be a limit that clients rely on. */
function limitOf(body: JsonObject, variant: OpenaiVariant): OutputLimit {
  const limit = readOutputLimit(body, variant.limitFields);
  return { ...limit, tokens: limit.tokens ?? variant.completionsDefault };
}

/** A list of strings or of token lists is a batch: every one gets its own completions. */
function promptCount(prompt: unknown): number {
  if (!Array.isArray(prompt) || typeof prompt[0] === 'number') return 1;
  return Math.max(1, prompt.length);
}
