import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import type { ProviderName } from '../../../src/providers/registry.ts';
import { price, pricing } from './table.ts';

/** developers.openai.com, data residency; docs.x.ai, regions. */
const EU = { providers: { openai: { base_url: 'https://eu.api.openai.com/v1' } } };
const US = { providers: { xai: { base_url: 'https://us.api.x.ai' } } };

function outputAt(config: ConfigInput, provider: ProviderName, model: string): number | undefined {
  return pricing(config).find(provider, model)?.worstOutputNanoUsd;
}

describe('a regional base URL', () => {
  it.each<[ConfigInput, ProviderName, string]>([
    [EU, 'openai', 'gpt-5.4'],
    [{ providers: { openai: { base_url: 'https://EU.api.openai.com.:443/v1' } } }, 'openai', 'gpt-5.4'],
    [EU, 'openai', 'gpt-5.5-pro'],
    [US, 'xai', 'grok-4.3'],
  ])('%j %s %s costs a tenth more', (config, provider, model) => {
    expect(outputAt(config, provider, model)).toBeCloseTo(1.1 * price(provider, model).worstOutputNanoUsd);
  });

  it.each(['gpt-4o', 'gpt-5', 'gpt-5.2', 'gpt-5-mini', 'o3', 'ft:gpt-4o-2024-08-06:acme::1'])(
    'an older model, %s, costs its list price',
    (model) => {
      expect(outputAt(EU, 'openai', model)).toBe(price('openai', model).worstOutputNanoUsd);
    },
  );

  it('an operator’s own price stays', () => {
    const own = { ...EU, pricing: { overrides: { 'gpt-5.4': { output: 7 } } } };
    expect(outputAt(own, 'openai', 'gpt-5.4')).toBe(7_000);
  });

  it('other URLs have no region', () => {
    for (const base_url of ['https://api.openai.com', 'https://proxy.example/eu.api.openai.com']) {
      const config = { providers: { openai: { base_url } } };
      expect(outputAt(config, 'openai', 'gpt-5.4')).toBe(price('openai', 'gpt-5.4').worstOutputNanoUsd);
    }
  });
});
