import { describe, expect, it } from 'vitest';
import { globMatches } from '../../../src/text/glob.ts';
import { quickestCpuMs } from '../../support/cpu-time.ts';

describe('a model glob', () => {
  it.each([
    ['gpt-4o', 'gpt-4o', true],
    ['gpt-4o', 'gpt-4o-mini', false],
    ['gpt-4o*', 'gpt-4o-mini', true],
    ['*mini', 'gpt-4o-mini', true],
    ['gpt-*-mini', 'gpt-4o-mini', true],
    ['gpt-*-mini', 'gpt-mini', false],
    ['*a*b*', 'xaxbx', true],
    ['*a*b*', 'bxa', false],
    ['ab*ba', 'aba', false],
    ['*', '', true],
    ['', '', true],
    ['gpt.4', 'gptx4', false],
  ])('%s on %s: %s', (glob, name, matches) => {
    expect(globMatches(glob, name)).toBe(matches);
  });

  it('takes linear time on a hostile name', () => {
    const [glob, name] = [`${'*a'.repeat(50)}*b`, 'a'.repeat(2_000_000)];
    expect(globMatches(glob, name)).toBe(false);
    expect(quickestCpuMs(() => globMatches(glob, name))).toBeLessThan(200);
  });
});
