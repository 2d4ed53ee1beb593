import { expect, it } from 'vitest';
import type { Outcome, Parsed } from '../../../../../src/pipeline/exchange.ts';
import { answered, type AnswerOptions } from '../../../../support/exchange.ts';
import { windowAccounts } from '../../../../../src/checks/budget/accounts.ts';
import type { SharedBudget } from '../../../../../src/checks/budget/shared.ts';
import { newKeyHash } from '../support.ts';
import { budgetCheck, chat, spendOf } from './rig.ts';

const OVERRIDES = {
  pricing: { overrides: { cheap: { input: 0, output: 1 }, dear: { input: 0, output: 10 } } },
};
const CHEAP_MOST = 1_000_000;
const DEAR_MOST = 10_000_000;

interface Routed {
  readonly cheap: Parsed;
  readonly dear: Parsed;
}

/** A request of at most 1,000 tokens for a cheap model, and for a dear one after it. */
function routed(more: Partial<Parsed> = {}, limits = { daily: 1_000_000_000 }): Routed {
  const keyHash = newKeyHash();
  const asked = (model: string): Parsed => ({
    ...chat({ model, maxTokens: 1_000, limits, keyHash }),
    ownEdits: [],
  });
  const dear = { ...asked('dear'), ...more };
  return { dear, cheap: { ...asked('cheap'), fallbacks: [dear] } };
}

export function severalTargets(): void {
  interface Row {
    readonly what: string;
    readonly uncertain?: boolean;
    readonly served?: (targets: Routed) => Parsed;
    readonly answer?: AnswerOptions;
    readonly outcome?: Outcome['kind'];
    readonly reserved: number;
    readonly charge: number;
  }
  const answer: AnswerOptions = { usage: { inputTokens: 9, outputTokens: 70 } };
  const rows: Row[] = [
    { what: 'the first answers', served: ({ cheap }) => cheap, answer, reserved: DEAR_MOST, charge: 70_000 },
    { what: 'the second answers', served: ({ dear }) => dear, answer, reserved: DEAR_MOST, charge: 700_000 },
    {
      what: 'the first answers unreadably',
      served: ({ cheap }) => cheap,
      answer: { readable: false },
      reserved: DEAR_MOST,
      charge: CHEAP_MOST,
    },
    { what: 'none was asked', outcome: 'not_forwarded', reserved: DEAR_MOST, charge: 0 },
    { what: 'no answer came', outcome: 'lost', reserved: DEAR_MOST, charge: DEAR_MOST },
    {
      what: 'the second answers after the first may have',
      uncertain: true,
      served: ({ cheap, dear }) => ({ ...dear, alsoAsked: [cheap] }),
      answer,
      reserved: CHEAP_MOST + DEAR_MOST,
      charge: CHEAP_MOST + 700_000,
    },
    {
      what: 'the second refuses after the first may have answered',
      uncertain: true,
      served: ({ cheap, dear }) => ({ ...dear, alsoAsked: [cheap] }),
      answer: { status: 429 },
      reserved: CHEAP_MOST + DEAR_MOST,
      charge: CHEAP_MOST,
    },
  ];
  it.each(rows)(
    '$what',
    async ({ uncertain = false, served, answer: told, outcome = 'complete', reserved, charge }) => {
      const { check } = budgetCheck(OVERRIDES);
      const targets = routed({ followsUncertain: uncertain });
      const { cheap } = targets;
      const state = check.begin?.() ?? {};
      expect((await check.requestBody?.(cheap, state))?.kind).toBe('pass');
      expect(await spendOf(cheap)).toEqual({ spent: 0, reserved });
      const end = served === undefined ? cheap : answered(served(targets), told);
      await check.end?.(end, { kind: outcome }, state);
      expect(await spendOf(cheap)).toEqual({ spent: charge, reserved: 0 });
    },
  );

  it('charges the shared budget of each target that may have processed the request', async () => {
    const [ofCheap, ofDear] = [1, 2].map((): SharedBudget => ({
      keyHash: newKeyHash(),
      accounts: windowAccounts({ daily: 1_000_000_000 }),
    }));
    const findShared = ({ request }: Parsed) =>
      [request.model === 'cheap' ? ofCheap : ofDear].filter((one) => one !== undefined);
    const { check } = budgetCheck(OVERRIDES, { findShared });
    const { cheap } = routed();
    const state = check.begin?.() ?? {};
    expect((await check.requestBody?.(cheap, state))?.kind).toBe('pass');
    await check.end?.(cheap, { kind: 'lost' }, state);
    for (const budget of [ofCheap, ofDear]) {
      const ledger = { ...cheap, key: { ...cheap.key, keyHash: budget?.keyHash ?? '' } };
      await expect.poll(() => spendOf(ledger)).toEqual({ spent: DEAR_MOST, reserved: 0 });
    }
  });

  it('charges no more than the reservation for all, if the input was counted', async () => {
    const prices = { cheap: { input: 10, output: 1 }, dear: { input: 10, output: 10 } };
    const { check } = budgetCheck({ pricing: { overrides: prices } });
    const words = 'international communication '.repeat(200);
    const limits = { daily: 45_000_000 };
    const keyHash = newKeyHash();
    const asked = (model: string): Parsed => ({
      ...chat({
        limits,
        keyHash,
        body: { model, max_tokens: 1_000, messages: [{ role: 'user', content: words }] },
      }),
      ownEdits: [],
    });
    const dear = { ...asked('dear'), followsUncertain: true };
    const cheap = { ...asked('cheap'), fallbacks: [dear] };
    const state = check.begin?.() ?? {};
    expect((await check.requestBody?.(cheap, state))?.kind).toBe('pass');
    const { reserved } = await spendOf(cheap);
    const served = answered(
      { ...dear, alsoAsked: [cheap] },
      { usage: { inputTokens: 402, outputTokens: 900 } },
    );
    await check.end?.(served, { kind: 'complete' }, state);
    const { spent } = await spendOf(cheap);
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThanOrEqual(reserved);
  });

  it('refuses if the dearest does not fit', async () => {
    const { check } = budgetCheck(OVERRIDES);
    const { cheap } = routed({}, { daily: DEAR_MOST - 1 });
    expect(await check.requestBody?.(cheap, check.begin?.() ?? {})).toMatchObject({
      type: 'budget_exceeded',
    });
  });

  it('leaves out a target whose cost has no bound', async () => {
    const { check } = budgetCheck(OVERRIDES);
    const { cheap, dear } = routed();
    cheap.fallbacks = [{ ...dear, request: { ...dear.request, unbounded: 'background' } }];
    const state = check.begin?.() ?? {};
    await check.requestBody?.(cheap, state);
    expect([cheap.fallbacks, await spendOf(cheap)]).toEqual([[], { spent: 0, reserved: CHEAP_MOST }]);
    await check.end?.(cheap, { kind: 'not_forwarded' }, state);
  });

  it('gives each target its own edits', async () => {
    const { check } = budgetCheck({
      pricing: { overrides: { cheap: { input: 0, output: 1 }, dear: { input: 0, output: 10 } } },
    });
    const { cheap, dear } = routed();
    const state = check.begin?.() ?? {};
    await check.requestBody?.(cheap, state);
    expect(cheap.edits).toEqual([]);
    expect([cheap.ownEdits, dear.ownEdits]).toEqual([
      [{ kind: 'set', path: ['service_tier'], value: 'default' }],
      [{ kind: 'set', path: ['service_tier'], value: 'default' }],
    ]);
    await check.end?.(cheap, { kind: 'not_forwarded' }, state);
  });
}
