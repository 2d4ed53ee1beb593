import type { Dialect, Endpoint } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { RequestFacts } from '../request-facts.ts';
import { PromptCollector } from './prompt-collector.ts';
import { choiceDialect } from './openai-choices.ts';
import { readTokenInput } from './openai-embeddings.ts';
import { choiceFacts, readMembers, readModels, type OpenaiVariant } from './openai-request.ts';

/** `POST …/completions`, and Mistral's and DeepSeek's fill-in-the-middle, with a prompt instead of messages. */
export function openaiCompletions(variant: OpenaiVariant): Dialect {
  // This older endpoint knows only `max_tokens`, even where chat uses a newer name.
  const here: OpenaiVariant = { ...variant, limitFields: ['max_tokens'] };
  return choiceDialect('openai-completions', variant, (body, endpoint) =>
    readCompletion(body, endpoint, here),
  );
}

function readCompletion(body: JsonObject, endpoint: Endpoint, variant: OpenaiVariant): RequestFacts {
  const models = readModels(body, endpoint, variant);
  const into = new PromptCollector();
  readMembers(into, body, {
    prompt: (value) => readTokenInput(into, value, ['prompt']),
    suffix: (value) => readTokenInput(into, value, ['suffix']),
    prompt_embeds: (value) => {
      if (value !== null) into.addEncodedPrompt(['prompt_embeds']);
    },
  });
  const facts = choiceFacts(into, body, { models, offers: [], variant, toolChoice: undefined });
  const { output } = facts;
  return {
    ...facts,
    choices: facts.choices * promptCount(body.prompt),
    // Clients rely on the endpoint's documented default.
    output: { ...output, tokens: output.tokens ?? variant.completionsDefault },
  };
}

/** An array of strings or token arrays is a batch. Each prompt gets its own completions. */
function promptCount(prompt: unknown): number {
  if (!Array.isArray(prompt) || typeof prompt[0] === 'number') return 1;
  return Math.max(1, prompt.length);
}
