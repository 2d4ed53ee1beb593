import { describe, expect, it } from 'vitest';
import { inOrder } from '../../../src/routes/choose-target.ts';
import { parsed } from '../../support/exchange.ts';

const target = (model: string, weight: number) => ({
  settings: { provider: 'openai' as const, model, weight, on: [] },
});
const REQUEST = parsed({ body: { model: 'cheap', messages: [] }, keyHash: 'sha256:one' });
const TARGETS = [target('a', 3), target('b', 1)];

function chosen(session: string | undefined, sticky: boolean, draws = Math.random): string | undefined {
  const headers = new Map(session === undefined ? [] : [['x-gateway-session-id', session]]);
  const [first] = inOrder(TARGETS, { ...REQUEST, headers }, { sticky, random: draws });
  return first?.settings.model;
}

function share(names: readonly (string | undefined)[]): number {
  return names.filter((name) => name === 'a').length / names.length;
}

describe('inOrder', () => {
  it('chooses by weight', () => {
    const names = Array.from({ length: 4_000 }, () => chosen(undefined, false));
    expect(share(names)).toBeGreaterThan(0.7);
    expect(share(names)).toBeLessThan(0.8);
  });

  it('spreads sessions by weight, each of which keeps its target', () => {
    const sessions = Array.from({ length: 4_000 }, (_, nth) => `session-${String(nth)}`);
    const names = sessions.map((session) => chosen(session, true));
    expect(sessions.map((session) => chosen(session, true))).toEqual(names);
    expect(share(names)).toBeGreaterThan(0.7);
    expect(share(names)).toBeLessThan(0.8);
  });

  it('ignores sessions unless sticky is on', () => {
    const names = Array.from({ length: 200 }, () => chosen('one', false));
    expect(new Set(names).size).toBe(2);
  });

  it('takes a draw of 0', () => {
    expect(inOrder(TARGETS, REQUEST, { sticky: false, random: () => 0 })).toHaveLength(1);
  });
});
