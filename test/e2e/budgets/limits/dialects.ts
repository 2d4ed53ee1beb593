import { describe, it, expect } from 'vitest';
import { CHAT, TOKEN } from '../rig.ts';
import {
  type Body,
  messages,
  RESPONSES,
  GENERATE_PATH,
  GENERATE,
  CONVERSE,
  sent,
  withBudget,
  budgets,
} from './rig.ts';

interface Dialect {
  readonly what: string;
  readonly path: string;
  readonly body: Body;
  /** Members that a grant of this many tokens adds to the body. */
  readonly granted: (tokens: number) => Body;
}

const DIALECTS: readonly Dialect[] = [
  {
    what: 'openai chat',
    path: CHAT,
    body: { model: 'flat', messages },
    granted: (max_completion_tokens) => ({ max_completion_tokens }),
  },
  {
    what: 'openai responses',
    path: RESPONSES,
    body: { model: 'flat', input: 'Say.' },
    granted: (max_output_tokens) => ({ max_output_tokens }),
  },
  {
    what: 'mistral',
    path: '/mistral/v1/chat/completions',
    body: { model: 'flat', messages },
    granted: (max_tokens) => ({ max_tokens }),
  },
  {
    what: 'anthropic',
    path: '/anthropic/v1/messages',
    body: { model: 'flat', messages },
    granted: (max_tokens) => ({ max_tokens }),
  },
  {
    what: 'gemini',
    path: GENERATE_PATH,
    body: GENERATE,
    granted: (maxOutputTokens) => ({ generationConfig: { maxOutputTokens } }),
  },
  {
    what: 'gemini with a generationConfig',
    path: GENERATE_PATH,
    body: { ...GENERATE, generationConfig: { temperature: 0 } },
    granted: (maxOutputTokens) => ({ generationConfig: { temperature: 0, maxOutputTokens } }),
  },
  {
    what: 'bedrock converse',
    path: '/bedrock/model/flat/converse',
    body: CONVERSE,
    granted: (maxTokens) => ({ inferenceConfig: { maxTokens } }),
  },
  {
    what: 'bedrock converse with an inferenceConfig',
    path: '/bedrock/model/flat/converse',
    body: { ...CONVERSE, inferenceConfig: { temperature: 0 } },
    granted: (maxTokens) => ({ inferenceConfig: { temperature: 0, maxTokens } }),
  },
  {
    what: 'cohere v2',
    path: '/cohere/v2/chat',
    body: { model: 'flat', messages },
    granted: (max_tokens) => ({ max_tokens }),
  },
  {
    what: 'cohere v1',
    path: '/cohere/v1/chat',
    body: { model: 'flat', message: 'Say.' },
    granted: (max_tokens) => ({ max_tokens }),
  },
];
export function outputByDialect(): void {
  describe.each(DIALECTS)('the output of $what', ({ path, body, granted }) => {
    it('is limited if the client set no limit: to the model’s maximum, or a quarter of the remainder', async () => {
      expect(await sent(await withBudget(1_000_000), body, path)).toEqual({ ...body, ...granted(8_192) });
      expect(await sent(await withBudget(4_000), body, path)).toEqual({ ...body, ...granted(1_000) });
    });

    it('is limited in streams too', async () => {
      const streamed = path
        .replace(':generateContent', ':streamGenerateContent')
        .replace(/converse$/, 'converse-stream');
      const asked = streamed === path ? { ...body, stream: true } : body;
      expect(await sent(await withBudget(4_000), asked, streamed)).toMatchObject({
        ...asked,
        ...granted(1_000),
      });
    });

    it('is left alone if the client set a limit, or has no budget', async () => {
      const own = { ...body, ...granted(77) };
      const client = await withBudget(4_000);
      expect(await sent(client, own, path)).toEqual(own);
      await client.expectSpent(77 * TOKEN);
      expect(await sent(await budgets.newClient(), body, path)).toEqual(body);
    });
  });
}

export function lowered(): void {
  describe.each(DIALECTS)('a client’s limit that does not fit, in $what', ({ path, body, granted }) => {
    it('is lowered to what fits, and the client learns of it', async () => {
      const client = await withBudget(3_000);
      const reply = await client.ask({ ...body, ...granted(128_000) }, { path });
      expect([reply.status, reply.headers['x-gateway-output-limit']]).toEqual([200, '3000']);
      expect(client.forwarded().at(-1)?.json).toMatchObject({ ...body, ...granted(3_000) });
    });

    it('is left alone without a budget', async () => {
      const client = await budgets.newClient();
      const reply = await client.ask({ ...body, ...granted(128_000) }, { path });
      expect([reply.status, reply.headers['x-gateway-output-limit']]).toEqual([200, undefined]);
      expect(client.forwarded().at(-1)?.json).toEqual({ ...body, ...granted(128_000) });
    });
  });
}
