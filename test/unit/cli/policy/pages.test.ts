import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { folder, policyJson, put, useRig } from './rig.ts';

useRig();

describe('the pages', () => {
  /** The blocks of a page of docs in one language. */
  const blocks = (page: string, language: string): string[] =>
    readFileSync(new URL(`../../../../docs/${page}`, import.meta.url), 'utf8')
      .split('```')
      .filter((_, index) => index % 2 === 1)
      .filter((block) => block.startsWith(`${language}\n`))
      .map((block) => block.slice(language.length + 1));

  it('have a card, policies and tests that pass together', { timeout: 60_000 }, async () => {
    put('card.yaml', blocks('cards.md', 'yaml').find((block) => block.includes('no-raw-sql')) ?? '');
    const [policies = ''] = blocks('policies.md', 'rego');
    const [tests = ''] = blocks('policy-tests.md', 'rego');
    put('a.rego', policies);
    put('a_test.rego', tests);
    put(
      'card_test.yaml',
      blocks('policy-tests.md', 'yaml').find((block) => block.startsWith('- name')) ?? '',
    );
    const { code, json } = await policyJson(['test', folder]);
    expect({ code, json }).toMatchObject({ code: 0, json: { total: 3, passed: 3 } });
  });

  it('have an input that is explained', async () => {
    const [input = ''] = blocks('policy-tests.md', 'json');
    const { code, json } = await policyJson(['explain', '--presets', 'safety', '--input', '-'], input);
    expect({ code, json }).toMatchObject({ code: 0, json: { verdict: 'deny' } });
  });
});
