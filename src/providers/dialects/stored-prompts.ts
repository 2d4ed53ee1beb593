import type { RequestFacts } from '../provider.ts';
import { arrayOf, objectOf, settingsOf } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

/**
 * Members that name something stored at the provider with prompt and tools together: OpenAI's prompts, OpenRouter's
 * presets, Mistral's and Azure's agents, assistants, Gemini's caches, Anthropic's skills. None of them is a word to
 * the model, so that any value but nothing counts.
 */
const STORED: readonly string[] = [
  'preset',
  'prompt_id',
  'agent_id',
  'agent',
  'agent_reference',
  'assistant_id',
  'cached_content',
  'cachedContent',
];

/** OpenRouter takes a preset in a model's place or behind it, Bedrock the ARN of a prompt. */
const STORED_MODEL = /@preset\/|^arn:[^:]*:bedrock:[^:]*:[^:]*:prompt\//i;

/** What a request brings along that is stored at the provider and may carry tools, by the member that names it. */
export function storedPrompt(
  body: unknown,
  models: readonly string[] = [],
): Pick<RequestFacts, 'storedPrompt'> {
  const own = objectOf(body);
  const places = settingsOf(own);
  const named = STORED.find((name) => places.some((place) => isGiven(place[name])));
  if (named !== undefined) return { storedPrompt: named };
  // Elsewhere a prompt is the text itself.
  if (isObject(own.prompt) || (isObject(own.extra_body) && isObject(own.extra_body.prompt)))
    return { storedPrompt: 'prompt' };
  if (arrayOf(objectOf(own.container).skills).length > 0) return { storedPrompt: 'container.skills' };
  return models.some((model) => STORED_MODEL.test(model)) ? { storedPrompt: 'model' } : {};
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
