import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyEdits } from '../../../../../src/json/edit.ts';
import type { Parsed } from '../../../../../src/pipeline/exchange.ts';
import type { ProviderName } from '../../../../../src/providers/registry.ts';
import { newKeyHash, USD } from '../support.ts';
import { budgetCheck, chat, spendOf } from './rig.ts';

/** Printed with a counterexample: fc.assert(…, { seed, path }). */
const SEED = 20_261_126;
/** The largest published picture. */
const PICTURE_TOKENS = 6_240;

/** USD per million output tokens. */
const PRICES = { cheap: 1, dear: 10, 'painter-image': 30 } as const;
const OVERRIDES = Object.fromEntries(
  Object.entries(PRICES).map(([model, output]) => [model, { input: 0, output, output_image: output }]),
);

interface Target {
  readonly provider: ProviderName;
  readonly model: keyof typeof PRICES;
}

const target: fc.Arbitrary<Target> = fc.record({
  provider: fc.constantFrom('openai', 'deepseek', 'mistral', 'vllm', 'gemini'),
  model: fc.constantFrom('cheap', 'dear', 'painter-image'),
});
const limit = fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined });
const cases = fc.record({
  targets: fc.array(target, { minLength: 1, maxLength: 3 }),
  max_tokens: limit,
  max_completion_tokens: limit,
  n: fc.integer({ min: 1, max: 3 }),
  dailyUsd: fc.double({ min: 0.001, max: 2, noNaN: true }),
  mayLower: fc.boolean(),
});

/** Returns the cost of the maximum output that a target may write for its body. */
function most({ body, edits, ownEdits = [], request }: Parsed, { model }: Target): number {
  const sent = JSON.parse(applyEdits(body, [...edits, ...ownEdits]).toString()) as Record<string, number>;
  const { max_tokens = 0, max_completion_tokens = 0, n = 1 } = sent;
  const limited = Math.max(max_tokens, max_completion_tokens);
  const written = model.endsWith('-image') ? Math.max(limited, PICTURE_TOKENS) : limited;
  expect(request.choices).toBe(n);
  return written * n * PRICES[model] * 1_000;
}

export function dearestTarget(): void {
  it('is covered by the reservation, whichever target reads whichever limit', async () => {
    const checks = [true, false].map((lower_client_limits) =>
      budgetCheck({ pricing: { overrides: OVERRIDES, lower_client_limits } }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ targets, dailyUsd, mayLower, ...limits }) => {
        const check = checks[mayLower ? 0 : 1]?.check;
        const keyHash = newKeyHash();
        const [first, ...fallbacks] = targets.map(({ provider, model }): Parsed => ({
          ...chat({
            provider,
            path: provider === 'gemini' ? '/v1beta/openai/chat/completions' : '/v1/chat/completions',
            keyHash,
            limits: { daily: Math.ceil(dailyUsd * USD) },
            body: { model, messages: [{ role: 'user', content: 'Say something.' }], ...limits },
          }),
          ownEdits: [],
        }));
        if (first === undefined || check === undefined) throw new Error('there is a target');
        if (fallbacks.length > 0) first.fallbacks = fallbacks;
        const state = check.begin?.() ?? {};
        const verdict = await check.requestBody?.(first, state);
        if (verdict?.kind === 'deny') return;
        if (verdict?.kind === 'rewrite') {
          expect(mayLower).toBe(true);
          verdict.apply();
        }
        const { reserved } = await spendOf(first);
        for (const [index, one] of [first, ...fallbacks].entries()) {
          expect(reserved).toBeGreaterThanOrEqual(
            most(one, targets[index] ?? { provider: 'openai', model: 'dear' }),
          );
        }
        await check.end?.(first, { kind: 'not_forwarded' }, state);
      }),
      { seed: SEED, numRuns: 200 },
    );
  });
}
