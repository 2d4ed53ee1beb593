import type { RequestFacts } from '../request-facts.ts';
import { arrayOf, objectOf, settingsOf } from './fields.ts';
import { isObject } from '../../json/is-object.ts';

/**
 * Members that name something stored at the provider with its own prompt and tools: OpenAI's prompts, OpenRouter's
 * presets, Mistral's and Azure's agents, assistants, Gemini's caches, Anthropic's skills. They never carry prompt
 * text, so any non-null value counts.
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

/** OpenRouter accepts a preset in place of a model or appended to it; Bedrock accepts a prompt ARN. */
const STORED_MODEL = /@preset\/|^arn:[^:]*:bedrock:[^:]*:[^:]*:prompt\//i;

/** Returns the member that names something stored at the provider, which may bring tools of its own. */
export function storedPrompt(
  body: unknown,
  models: readonly string[] = [],
): Pick<RequestFacts, 'storedPrompt'> {
  const own = objectOf(body);
  const places = settingsOf(own);
  const named = STORED.find((name) => places.some((place) => isGiven(place[name])));
  if (named !== undefined) return { storedPrompt: named };
  // In other dialects, `prompt` is the text itself.
  if (isObject(own.prompt) || (isObject(own.extra_body) && isObject(own.extra_body.prompt)))
    return { storedPrompt: 'prompt' };
  if (arrayOf(objectOf(own.container).skills).length > 0) return { storedPrompt: 'container.skills' };
  return models.some((model) => STORED_MODEL.test(model)) ? { storedPrompt: 'model' } : {};
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
