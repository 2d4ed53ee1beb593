import { expect, it } from 'vitest';
import { createTenantUse } from '../../../../src/policy/rego/engine.ts';

function atClock() {
  let now = 1_000;
  const use = createTenantUse(() => now);
  return { use, pass: (ms: number) => (now += ms) };
}

it('a tenant is heavy once it has used more than a burst in one go, and others are not', () => {
  const { use } = atClock();
  use.add('a', 400, false);
  expect(use.isHeavy('a')).toBe(false);
  use.add('a', 1, false);
  expect([use.isHeavy('a'), use.isHeavy('b')]).toEqual([true, false]);
});

it('a tenant is heavy until its use is paid off at a tenth of an engine', () => {
  const { use, pass } = atClock();
  use.add('a', 500, false);
  pass(4_990);
  expect(use.isHeavy('a')).toBe(true);
  pass(20);
  expect(use.isHeavy('a')).toBe(false);
});

it('a tenant that stays within a tenth of an engine is never heavy', () => {
  const { use, pass } = atClock();
  for (let second = 0; second < 60; second++) {
    use.add('a', 100, false);
    expect(use.isHeavy('a')).toBe(false);
    pass(1_000);
  }
});

it('an evaluation that breaks the engine is paid off over minutes, at most five', () => {
  const { use, pass } = atClock();
  use.add('a', 500, true);
  pass(190_000);
  expect(use.isHeavy('a')).toBe(true);
  for (let i = 0; i < 50; i++) use.add('a', 500, true);
  pass(299_000);
  expect(use.isHeavy('a')).toBe(true);
  pass(2_000);
  expect(use.isHeavy('a')).toBe(false);
});
