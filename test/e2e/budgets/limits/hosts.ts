import { it, expect } from 'vitest';
import { expectRefusal, type Client, TOKEN } from '../rig.ts';
import {
  messages,
  withBudget,
  sent,
  OPENROUTER,
  budgets,
  type Body,
  RESPONSES,
  GENERATE_PATH,
  GENERATE,
  CONVERSE,
} from './rig.ts';

export function openRouterHosts(): void {
  const asked = { model: 'openai/gpt-4o', max_tokens: 10, messages };
  const max_price = { prompt: 2.5, completion: 10, request: 0 };

  it('may not exceed the reserved price, whole and streamed', async () => {
    const provider = { sort: 'throughput', max_price: { completion: 1_000 } };
    for (const stream of [false, true]) {
      const client = await withBudget(1e6);
      const body = { ...asked, stream, model: 'openai/gpt-4o:nitro' };
      expect(await sent(client, body, OPENROUTER)).toEqual({ ...body, provider: { max_price } });
      expect(await sent(client, { ...body, provider }, OPENROUTER)).toEqual({
        ...body,
        provider: { sort: 'throughput', max_price },
      });
    }
  });

  it('may be as dear as the dearest requested model', async () => {
    const body = { ...asked, model: 'openai/gpt-4o-mini', models: ['openai/gpt-4o'] };
    expect(await sent(await withBudget(1e6), body, OPENROUTER)).toEqual({ ...body, provider: { max_price } });
    const auto = { ...body, models: ['openrouter/auto'] };
    expectRefusal(await (await withBudget(1e6)).ask(auto, { path: OPENROUTER }), 403, 'policy_denied');
  });

  it('follow a lower price of the client, and any price of a client without a budget', async () => {
    const lower = { ...asked, provider: { max_price: { prompt: 1, completion: '2', request: 0 } } };
    expect(await sent(await withBudget(1e6), lower, OPENROUTER)).toEqual(lower);
    const own = { ...asked, provider: { max_price: { prompt: 1_000 } } };
    expect(await sent(await budgets.newClient(), own, OPENROUTER)).toEqual(own);
  });

  it.each([5, { prompt: -1 }, { prompt: 'free' }, { completion: [] }])(
    'have no price with %j',
    async (price) => {
      const client = await withBudget(1e6);
      const body = { ...asked, provider: { max_price: price } };
      expectRefusal(await client.ask(body, { path: OPENROUTER }), 400, 'invalid_request');
      expect(client.forwarded()).toHaveLength(0);
    },
  );
}

export function azureDeployments(): void {
  const body = { messages, max_completion_tokens: 10 };
  const classic = (name: string) =>
    `/azure/openai/deployments/${name}/chat/completions?api-version=2024-10-21`;
  const current = '/azure/openai/v1/chat/completions';
  const limited = (...allowedModels: string[]): Promise<Client> =>
    budgets.newClient({ budget: { monthly: 1 }, key: { allowedModels } });

  it('may have any name if the key may use its model', async () => {
    const client = await limited('gpt-4o*');
    expect((await client.ask(body, { path: classic('my-dep') })).status).toBe(200);
    expect((await client.ask({ ...body, model: 'My-Dep' }, { path: current })).status).toBe(200);
    expect(client.forwarded()).toHaveLength(2);
  });

  it('may not be used by a key that may only use the model of the same name', async () => {
    const client = await limited('gpt-4o*');
    for (const name of ['gpt-4o-mini', 'gpt-4o-MINI']) {
      const asks = [
        await client.ask({ ...body, model: 'gpt-4o' }, { path: classic(name) }),
        await client.ask({ ...body, model: name }, { path: current }),
      ];
      for (const reply of asks) {
        expectRefusal(reply, 403, 'policy_denied');
        expect(reply.headers['x-gateway-policy-block']).toBe('true');
        expect(reply.headers['x-gateway-block-reason']).toContain('model');
      }
    }
    const other = await limited('o3');
    expectRefusal(await other.ask(body, { path: classic('my-dep') }), 403, 'policy_denied');
    expect([client.forwarded().length, other.forwarded().length]).toEqual([0, 0]);
  });

  it('costs what its model costs', async () => {
    const client = await withBudget(1_000);
    expect((await client.ask(body, { path: classic('cheap') })).status).toBe(200);
    await client.expectSpent(10 * TOKEN);
  });
}

export function stored(): void {
  it.each<[string, string, Body]>([
    ['a prompt', RESPONSES, { model: 'flat', input: 'Say.', prompt: { id: 'pmpt_1' } }],
    ['a cache', GENERATE_PATH, { ...GENERATE, cachedContent: 'cachedContents/1' }],
    ['a cache in snake case', GENERATE_PATH, { ...GENERATE, cached_content: 'cachedContents/1' }],
    ['a preset', OPENROUTER, { model: '@preset/mine', messages }],
    [
      'bedrock’s prompt',
      `/bedrock/model/${encodeURIComponent('arn:aws:bedrock:us-east-1:123456789012:prompt/A')}/converse`,
      CONVERSE,
    ],
  ])('%s', async (_what, path, body) => {
    for (const client of [await budgets.newClient(), await withBudget(1e6)]) {
      const reply = await client.ask(body, { path });
      expectRefusal(reply, 403, 'policy_denied');
      expect(reply.body).toContain('proxy.stored_prompts');
      expect(reply.headers['x-gateway-policy-block']).toBe('true');
      expect(reply.headers['x-gateway-block-reason']).toContain('proxy.stored_prompts');
      expect(client.forwarded()).toHaveLength(0);
    }
  });
}
