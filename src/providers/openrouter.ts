import { anthropicMessages } from './dialects/anthropic-messages.ts';
import { readModels } from './dialects/openai-request.ts';
import type { OpenaiVariant } from './dialects/openai-request.ts';
import { readToolSwitches, toolFacts } from './dialects/openai-tools.ts';
import { openaiEndpoints, openaiStyle, pick, under } from './openai-style.ts';
import type { Dialect } from './provider.ts';

/** Streams always report usage. The body may name fallback models, plugins and stored presets. */
const variant: OpenaiVariant = {
  limitFields: ['max_tokens', 'max_completion_tokens'],
  asksUsage: false,
  routes: true,
};

/** Anthropic's dialect, in which the router's own members mean what they mean everywhere. */
const routedMessages: Dialect = {
  ...anthropicMessages,
  name: 'openrouter-messages',
  request(body, endpoint) {
    const facts = anthropicMessages.request(body, endpoint);
    const { model, models, online, preset } = readModels(body, endpoint, variant);
    const { providerTools } = toolFacts([...readToolSwitches(body, models), ...online], undefined);
    return {
      ...facts,
      model,
      models: [...models, ...facts.models.slice(1)],
      providerTools: [...facts.providerTools, ...providerTools],
      unseenContent: facts.unseenContent || preset,
      ...(preset && { unbounded: 'preset' }),
    };
  },
};

const endpoints = openaiEndpoints(variant);

/** OpenRouter, with Anthropic's dialect beside OpenAI's. */
export const openrouter = openaiStyle({
  name: 'openrouter',
  defaultBaseUrl: 'https://openrouter.ai/api',
  post: {
    ...under('/v1', pick(endpoints, '/chat/completions', '/completions', '/responses', '/embeddings')),
    '/v1/messages': { operation: 'chat', dialect: routedMessages },
  },
});
