import { describe, expect, it } from 'vitest';
import { createRunner } from '../../../../src/pipeline/run.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import { newFacts } from '../../../../src/pipeline/facts.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { composedOnMemory, rethrow } from '../../../support/composed-checks.ts';
import { NO_RISK, parsed } from '../../../support/exchange.ts';

const CARD = `metadata: { name: models }
rules:
  - name: no-pro
    match: { model: 'openai/gpt-5-pro*' }
    action: deny
    reason: too dear
  - name: no-opus
    match: { model: 'claude-opus*' }
    action: deny
    reason: too clever
  - name: secretive
    match: { type: llm_call }
    conditions:
      - { field: prompt_text, op: contains, value: Falcon }
    action: deny
    reason: no birds
`;

async function judge(exchange: Parsed, isShadow = false) {
  const config = { server: { shadow_mode: isShadow }, proxy: { provider_tools: ['advisor_20260301'] } };
  const newRun = createRunner({
    checks: (await composedOnMemory({ config, card: CARD })).checks,
    shadowMode: isShadow,
    observer: {
      verdict: () => undefined,
      enforceFailed: (_exchange, _check, cause) => rethrow(cause),
      endFailed: (_exchange, _check, cause) => rethrow(cause),
    },
  });
  return newRun().requestBody({ ...exchange, facts: newFacts(NO_RISK) });
}

function routed(body: JsonObject, path = '/v1/chat/completions'): Parsed {
  const messages = [{ role: 'user', content: 'hello' }];
  const exchange = parsed({ provider: 'openrouter', path, body: { max_tokens: 9, messages, ...body } });
  return { ...exchange, key: { ...exchange.key, provider: 'openrouter' } };
}

describe('a request that names several models', () => {
  it.each<[string, JsonObject, string | undefined]>([
    [
      'is denied because of a fallback',
      { model: 'a/b', models: ['c/d', 'openai/gpt-5-pro'] },
      'decide differently',
    ],
    [
      'is denied because of its first model',
      { model: 'openai/gpt-5-pro', models: ['c/d'] },
      'decide differently',
    ],
    ['is denied like a request with one model', { model: 'openai/gpt-5-pro' }, 'too dear'],
    [
      'is denied by a rule that fires for all models',
      { model: 'openai/gpt-5-pro', models: ['openai/gpt-5-pro-1'] },
      'too dear',
    ],
    ['passes if all rules treat its models alike', { model: 'a/b', models: ['c/d', 'a/b'] }, undefined],
  ])('%s', async (_what, body, said) => {
    const denial = await judge(routed(body));
    if (said === undefined) expect(denial).toBeUndefined();
    else
      expect(denial).toMatchObject({
        type: 'policy_denied',
        message: expect.stringContaining(said) as unknown,
      });
  });

  it('is judged in the same way for the fallbacks of a message', async () => {
    const fallbacks = [{ model: 'openai/gpt-5-pro' }];
    const denial = await judge(routed({ model: 'a/b', fallbacks }, '/v1/messages'));
    expect(denial).toMatchObject({ type: 'policy_denied' });
  });

  it('is denied for the model of an allowed tool', async () => {
    function advised(model: string): Parsed {
      const tools = [{ type: 'advisor_20260301', name: 'advisor', model }];
      const body = { model: 'claude-haiku-4-5', max_tokens: 9, messages: [], tools };
      const exchange = parsed({ provider: 'anthropic', path: '/v1/messages', body });
      return { ...exchange, key: { ...exchange.key, provider: 'anthropic' } };
    }
    expect(await judge(advised('claude-opus-4-8'))).toMatchObject({ type: 'policy_denied' });
    expect(await judge(advised('claude-sonnet-5'))).toBeUndefined();
  });

  it('is only recorded in shadow mode', async () => {
    expect(await judge(routed({ model: 'a/b', models: ['openai/gpt-5-pro'] }), true)).toBeUndefined();
  });
});
