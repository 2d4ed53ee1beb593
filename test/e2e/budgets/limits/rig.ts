import { expect, beforeAll, afterAll } from 'vitest';
import { type Budgets, type Client, TOKEN, NEVER, startBudgets } from '../rig.ts';

/** docs/budgets.md: the bounds of a request's cost before it is sent. */
export let budgets: Budgets;

export type Body = Readonly<Record<string, unknown>>;

export const messages = [{ role: 'user', content: 'Say something.' }];
export const CONVERSE = { messages: [{ role: 'user', content: [{ text: 'Say something.' }] }] };
export const GENERATE = { contents: [{ role: 'user', parts: [{ text: 'Say something.' }] }] };
export const GENERATE_PATH = '/gemini/v1beta/models/flat:generateContent';
export const RESPONSES = '/openai/v1/responses';

export const withBudget = (tokens: number): Promise<Client> =>
  budgets.newClient({ budget: { monthly: (tokens * TOKEN) / 1e9 } });

/** The body that reached the provider. */
export async function sentWhole(client: Client, body: Body, path: string): Promise<Body> {
  const reply = await client.ask(body, { path });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return JSON.parse(client.forwarded().at(-1)?.body.toString() ?? '') as Body;
}

/** The same without the service tier that the gateway requests (see tiers.ts). */
export async function sent(client: Client, body: Body, path: string): Promise<Body> {
  const { service_tier: tier, ...rest } = await sentWhole(client, body, path);
  return tier === undefined || body.service_tier === undefined ? rest : { ...rest, service_tier: tier };
}

/** The reservation of a running request, in nano-USD. */
export async function held(body: Body, path: string, budgetTokens = 10_000): Promise<number> {
  const client = await withBudget(budgetTokens);
  client.behave({ hold: NEVER });
  const leaving = new AbortController();
  void client.ask(body, { path, signal: leaving.signal });
  await expect.poll(() => client.forwarded()).toHaveLength(1);
  const { reserved } = await client.account();
  leaving.abort();
  return reserved;
}
export const OPENROUTER = '/openrouter/v1/chat/completions';
export function useRig(): void {
  beforeAll(async () => {
    budgets = await startBudgets({
      proxy: { provider_tools: ['web_search', 'code_interpreter'] },
      pricing: { tools: { web_search: 0.01 } },
      providers: { azure: { deployments: { 'my-dep': 'gpt-4o', 'gpt-4o-mini': 'gpt-5', cheap: 'flat' } } },
    });
  });
  afterAll(() => budgets.close());
}
