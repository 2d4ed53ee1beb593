import { describe, expect, it } from 'vitest';
import { createFindShared } from '../../../../src/checks/budget/shared.ts';
import { createModelOf } from '../../../../src/pricing/deployments.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { defaultConfig } from '../../../support/default-config.ts';
import { parsed } from '../../../support/exchange.ts';

describe('a budget of models', () => {
  const DEPLOYMENT = '/openai/deployments/';
  it.each<[ProviderName, string, string, boolean]>([
    ['openai', '/v1/chat/completions', 'gpt-5-pro-2025-10-06', true],
    ['openai', '/v1/chat/completions', 'GPT-5-Pro', true],
    ['openai', '/v1/chat/completions', ' gpt-5-pro', true],
    ['openai', '/v1/chat/completions', 'gpt-5', false],
    ['azure', `${DEPLOYMENT}GPT-5-PRO/chat/completions`, 'any', true],
    ['azure', `${DEPLOYMENT}Mapped/chat/completions`, 'any', true],
  ])('counts other spellings of a name: %s %s %j', async (provider, path, model, isCounted) => {
    const { budgets } = defaultConfig({
      budgets: [{ name: 'dear', match: { models: ['gpt-5-Pro*'] }, daily: 1 }],
    });
    const find = await createFindShared(budgets, createModelOf({ mapped: 'gpt-5-pro' }));
    const exchange = parsed({ provider, path, body: { model, messages: [{ role: 'user', content: 'a' }] } });
    expect(find(exchange, undefined)).toHaveLength(isCounted ? 1 : 0);
  });
});
