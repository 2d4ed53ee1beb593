import { expect, it } from 'vitest';
import { CHAT } from '../rig.ts';
import {
  budgets,
  CONVERSE,
  GENERATE,
  GENERATE_PATH,
  messages,
  RESPONSES,
  sentWhole,
  withBudget,
  type Body,
} from './rig.ts';

export function tiers(): void {
  const chat: Body = { model: 'flat', messages, max_tokens: 10 };
  const responses: Body = { model: 'flat', input: 'Say.', max_output_tokens: 16 };
  const MESSAGES = '/anthropic/v1/messages';
  const GROQ = '/groq/v1/chat/completions';

  it.each<[string, string, Body, string]>([
    ['OpenAI’s chat', CHAT, chat, 'default'],
    ['one that leaves it to OpenAI', CHAT, { ...chat, service_tier: 'auto' }, 'default'],
    ['one that says null', CHAT, { ...chat, service_tier: null }, 'default'],
    ['a stream', CHAT, { ...chat, stream: true }, 'default'],
    ['OpenAI’s responses', RESPONSES, responses, 'default'],
    ['Groq’s chat', GROQ, chat, 'on_demand'],
    ['one that leaves it to Groq', GROQ, { ...chat, service_tier: 'auto' }, 'on_demand'],
    ['Groq’s responses', '/groq/v1/responses', responses, 'default'],
    ['Anthropic’s messages', MESSAGES, chat, 'standard_only'],
    ['one that leaves it to Anthropic', MESSAGES, { ...chat, service_tier: 'auto' }, 'standard_only'],
  ])('is requested in %s', async (_what, path, body, tier) => {
    const limits = { ...body, service_tier: tier };
    expect(await sentWhole(await withBudget(2_000), body, path)).toMatchObject(limits);
  });

  it.each<[string, string, Body]>([
    ['one at the list price of the client’s', GROQ, { ...chat, service_tier: 'flex' }],
    [
      'that of OpenAI’s older interface, which has none',
      '/openai/v1/completions',
      { model: 'flat', prompt: 'x', max_tokens: 10 },
    ],
    [
      'Azure’s, whose older versions refuse one',
      '/azure/openai/deployments/cheap/chat/completions?api-version=2024-02-01',
      { messages, max_tokens: 10 },
    ],
    ['Mistral’s, which refuses unknown members', '/mistral/v1/chat/completions', chat],
    ['xAI’s, which is the standard one', '/xai/v1/chat/completions', chat],
    [
      'Gemini’s, which is the standard one',
      GENERATE_PATH,
      { ...GENERATE, generationConfig: { maxOutputTokens: 10 } },
    ],
    [
      'Bedrock’s, which is the standard one',
      '/bedrock/model/flat/converse',
      { ...CONVERSE, inferenceConfig: { maxTokens: 10 } },
    ],
    ['that of a server of one’s own', '/vllm/v1/messages', chat],
  ])('leaves %s alone', async (_what, path, body) => {
    expect(await sentWhole(await withBudget(2_000), body, path)).toEqual(body);
  });

  it('is not requested without a budget', async () => {
    for (const path of [CHAT, MESSAGES, GROQ]) {
      expect(await sentWhole(await budgets.newClient(), chat, path)).toEqual(chat);
    }
  });
}
