import { anthropicMessages } from './dialects/anthropic-messages.ts';
import { outputsOfBody } from './dialects/asked-outputs.ts';
import { openaiEmbeddings } from './dialects/openai-embeddings.ts';
import { readModels, type OpenaiVariant } from './dialects/openai-request.ts';
import { readToolSwitches, toolFacts } from './dialects/openai-tools.ts';
import { routed } from './dialects/routed.ts';
import { storedPrompt } from './dialects/stored-prompts.ts';
import { ANTHROPIC_HEADERS, ANTHROPIC_PARAMETERS } from './client-headers.ts';
import { openaiEndpoints, tableProvider, pick, under } from './openai-style.ts';
import type { Dialect, Endpoint } from './provider.ts';

/** Streams report usage by default. The body may name fallback models, plugins and stored presets. */
const variant: OpenaiVariant = {
  limitFields: ['max_tokens', 'max_completion_tokens'],
  asksUsage: false,
  routes: true,
};

/** Adds OpenRouter's members, which work in every endpoint, to a dialect that does not know them. */
function withRouterMembers(name: string, inner: Dialect): Dialect {
  return {
    ...inner,
    name,
    request(body, endpoint) {
      const facts = inner.request(body, endpoint);
      const { names, online, preset } = readModels(body, endpoint, variant);
      const { hostedTools } = toolFacts([...readToolSwitches(body, names), ...online], undefined);
      return {
        ...facts,
        model: names[0],
        models: [...names, ...facts.models.slice(1)],
        hostedTools: [...facts.hostedTools, ...hostedTools],
        unseenContent: facts.unseenContent || preset,
        ...outputsOfBody(body),
        ...storedPrompt(body, names),
        ...(preset && { unbounded: 'preset' }),
      };
    },
  };
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  ...under('/v1', pick(openaiEndpoints(variant), '/chat/completions', '/completions', '/responses')),
  '/v1/embeddings': {
    operation: 'embeddings',
    dialect: withRouterMembers('openrouter-embeddings', openaiEmbeddings),
  },
  '/v1/messages': {
    operation: 'chat',
    dialect: withRouterMembers('openrouter-messages', anthropicMessages),
  },
};

/** OpenRouter, with OpenAI's and Anthropic's dialects. */
export const openrouter = tableProvider({
  name: 'openrouter',
  defaultBaseUrl: 'https://openrouter.ai/api',
  headers: new Set([
    ...ANTHROPIC_HEADERS,
    'http-referer',
    'x-title',
    'x-openrouter-title',
    'x-openrouter-categories',
  ]),
  parameters: ANTHROPIC_PARAMETERS,
  post: Object.fromEntries(
    Object.entries(endpoints).map(([path, endpoint]) => [
      path,
      { ...endpoint, dialect: routed(endpoint.dialect) },
    ]),
  ),
});
