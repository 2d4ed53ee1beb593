import { describe, expect, it } from 'vitest';
import { decisionOf } from '../../../../src/policy/rego/rego-set.ts';

const NOTHING = { quarantine: [], deny: [], escalate: [], mask: [], taint: [], allow: [] };
const denied = (reason: string) => ({ rule: 'deny', reason });

describe('the result of gateway.policy', () => {
  it.each<[string, unknown, object]>([
    ['no package', undefined, NOTHING],
    ['no rule that applies', { allow: false, deny: [] }, NOTHING],
    [
      'reasons',
      { deny: ['a', 'b'], taint: ['t'] },
      { ...NOTHING, deny: [denied('a'), denied('b')], taint: [{ rule: 'taint', reason: 't', flag: 't' }] },
    ],
    ['an allow rule', { allow: true }, { ...NOTHING, allow: [{ rule: 'allow', reason: '' }] }],
  ])('is read: %s', (_, document, expected) => {
    expect(decisionOf(document)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['true', true],
    ['a text', 'no'],
    ['a number', 1],
    ['records', [{ msg: 'no' }]],
    ['records without a reason', [{ code: 7 }]],
    ['an object with reasons as names', { no: true }],
    ['sets in a set', [['no']]],
  ])('denies in every form: %s', (_, deny) => {
    expect(decisionOf({ deny }).deny).toHaveLength(1);
  });

  it('denies if the package itself is something else', () => {
    expect(decisionOf(true).deny).toHaveLength(1);
  });

  it('allows only with true', () => {
    for (const allow of ['yes', 1, ['x'], {}, null]) expect(decisionOf({ allow }).allow).toEqual([]);
  });

  it('keeps a limited number of reasons', () => {
    expect(decisionOf({ deny: Array.from({ length: 10_000 }, (_, n) => `r${n}`) }).deny).toHaveLength(64);
  });
});
