import { describe, expect, it } from 'vitest';
import { llmCall, toolCall } from '../../../support/policy-call.ts';
import { cardsOf, denyingRule, isDenied } from '../../../support/policy-cards.ts';

/** Rules are found once for all calls of one kind; conditions that vary between calls are evaluated for each. */
describe('two calls of one kind', () => {
  it('are each judged by their own texts', async () => {
    const set = denyingRule([{ field: 'prompt_text', op: 'contains', value: 'drop' }]);
    expect(await isDenied(set, llmCall('keep it'))).toBe(false);
    expect(await isDenied(set, llmCall('drop it'))).toBe(true);
    expect(await isDenied(set, llmCall('keep that'))).toBe(false);
  });

  it('are each judged by their own session, and by their texts if that does not decide', async () => {
    const set = denyingRule([
      { field: 'session.state', op: 'equals', value: 'OPEN' },
      { field: 'prompt_text', op: 'contains', value: 'drop' },
    ]);
    expect(await isDenied(set, llmCall('drop it'))).toBe(false);
    expect(await isDenied(set, llmCall('drop it', { session: { state: 'OPEN' } }))).toBe(true);
    expect(await isDenied(set, llmCall('keep it', { session: { state: 'OPEN' } }))).toBe(false);
  });

  it('without a match are denied by a rule about missing text', async () => {
    const set = denyingRule([{ not: [{ field: 'prompt_text', op: 'contains', value: 'please' }] }]);
    expect(await isDenied(set, llmCall('do it'))).toBe(true);
    expect(await isDenied(set, llmCall('please do it'))).toBe(false);
    expect(await isDenied(set, llmCall('do it now'))).toBe(true);
  });

  it('without a match are not allowed by a rule that requires text', async () => {
    const set = cardsOf({
      rules: [
        {
          name: 'r',
          conditions: [{ any: [{ field: 'prompt_text', op: 'contains', value: 'please' }] }],
          action: 'allow',
        },
      ],
    });
    expect((await set.decide(llmCall('do it'))).allow).toEqual([]);
    expect((await set.decide(llmCall('please do it'))).allow).toHaveLength(1);
  });

  it('are each masked by the rules that apply to them', () => {
    const set = cardsOf({
      rules: [
        {
          name: 'always',
          conditions: [{ field: 'prompt_text', op: 'detects', value: 'email' }],
          action: 'mask',
        },
        {
          name: 'in-state',
          conditions: [
            { field: 'session.state', op: 'equals', value: 'OPEN' },
            { field: 'prompt_text', op: 'detects', value: 'phone' },
          ],
          action: 'mask',
        },
      ],
    });
    const names = (state: string): string[] =>
      set.masksFor(llmCall('x', { session: { state } })).map(({ hit }) => hit.rule);
    expect([names(''), names('OPEN'), names('')]).toEqual([['always'], ['always', 'in-state'], ['always']]);
  });
});

describe('calls of two kinds', () => {
  it('are distinguished, with anything in their names', async () => {
    const set = denyingRule([], { match: { type: 'mcp_tool_call', server: 'a', tool: 'b c' } });
    expect(await isDenied(set, toolCall('c', {}, { server: 'a b' }))).toBe(false);
    expect(await isDenied(set, toolCall('b c', {}, { server: 'a' }))).toBe(true);
    const models = denyingRule([], { match: { type: 'llm_call', model: 'm' } });
    expect(await isDenied(models, toolCall('m', {}, { server: 'llm_call' }))).toBe(false);
    expect(await isDenied(models, llmCall('x', { model: 'm' }))).toBe(true);
    expect(await isDenied(models, llmCall('x', { model: 'm'.repeat(1_000) }))).toBe(false);
  });
});
