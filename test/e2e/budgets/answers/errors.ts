import { expect, it } from 'vitest';
import { type Client, expectRefusal } from '../rig.ts';
import { answerWith, BUDGET, scripted } from './rig.ts';

/** Its input costs 1 USD per million tokens, its output 10. */
const MODEL = 'detailed';
const QUESTION = 'What may nobody ask? '.repeat(100);
/** A word is at least a token of input. */
const INPUT_NANO_USD = 400 * 1_000;

const AZURE = `/azure/openai/deployments/${MODEL}/chat/completions`;
const CHAT = { model: MODEL, max_tokens: 1_000, messages: [{ role: 'user', content: QUESTION }] };
const XAI = '/xai/v1/responses';
const RESPONSE = { model: MODEL, max_output_tokens: 1_000, input: QUESTION };
const FEE = 50_000_000;

const FILTERED = {
  error: { message: 'The response was filtered.', code: 'content_filter', param: 'prompt' },
};
const POLICY = { error: { code: null, innererror: { code: 'ResponsibleAIPolicyViolation' } } };
const AGAINST = { code: 'permission denied', error: 'Content violates usage guidelines. Failed check: BIO' };

interface Refused {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly error: object;
}

async function refused({ path, body, status, error }: Refused): Promise<Client> {
  answerWith({ type: 'application/json', body: JSON.stringify(error), status });
  const client = await scripted.newClient(BUDGET);
  expect((await client.ask(body, { path })).status).toBe(status);
  return client;
}

export function billedErrors(): void {
  it.each<[string, Refused]>([
    ['Azure’s content filter', { path: AZURE, body: CHAT, status: 400, error: FILTERED }],
    ['its policy', { path: AZURE, body: CHAT, status: 400, error: POLICY }],
    ['its time-out', { path: AZURE, body: CHAT, status: 408, error: {} }],
    [
      'xAI’s guidelines, in chat',
      { path: '/xai/v1/chat/completions', body: CHAT, status: 403, error: AGAINST },
    ],
  ])('by %s costs the input, and the output of the elapsed time at most', async (_what, asked) => {
    const client = await refused(asked);
    const { spent, reserved } = await client.account();
    expect(reserved).toBe(0);
    expect(spent).toBeGreaterThan(INPUT_NANO_USD);
    // Far less than the 1,000 tokens that were granted.
    expect(spent).toBeLessThan(2 * INPUT_NANO_USD + 9_000_000);
  });

  it('by xAI’s guidelines has a fee, in responses', async () => {
    await (await refused({ path: XAI, body: RESPONSE, status: 403, error: AGAINST })).expectSpent(FEE);
  });

  it('has its fee reserved', async () => {
    const poor = await scripted.newClient({ budget: { daily: FEE / 1e9 - 0.001 } });
    expectRefusal(await poor.ask(RESPONSE, { path: XAI }), 429, 'budget_exceeded');
  });

  it.each<[string, Refused]>([
    [
      'a malformed request',
      { path: AZURE, body: CHAT, status: 400, error: { error: { code: 'BadRequest' } } },
    ],
    ['a rate limit', { path: AZURE, body: CHAT, status: 429, error: FILTERED }],
    [
      'a key',
      { path: XAI, body: RESPONSE, status: 403, error: { error: 'The key may not use this model.' } },
    ],
    ['another provider', { path: '/openai/v1/chat/completions', body: CHAT, status: 400, error: FILTERED }],
  ])('is none for %s', async (_what, asked) => {
    await (await refused(asked)).expectSpent(0);
  });
}
