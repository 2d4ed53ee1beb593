import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chargeOf } from '../../../../src/checks/budget/charge.ts';
import { estimate, limitOf } from '../../../../src/checks/budget/estimate.ts';
import { quote, type Quote } from '../../../../src/checks/budget/quote.ts';
import { configSchema } from '../../../../src/config/schema.ts';
import type { Outcome, Parsed } from '../../../../src/pipeline/exchange.ts';
import { countText } from '../../../../src/pricing/count.ts';
import { createPricing } from '../../../../src/pricing/pricing.ts';
import type { AnswerFacts } from '../../../../src/providers/dialect.ts';
import { runNow, stepsOf } from '../../../../src/turns.ts';
import { answered, parsed } from '../../../support/exchange.ts';
import { FORMS, type Asked, type Billed, type Form } from './requests.ts';

/** Printed with a counterexample: fc.assert(…, { seed, path }). */
const SEED = 20_261_124;

const config = configSchema.parse({});
const pricing = createPricing(config);

/** The text that a chat template adds to a message. */
const TEMPLATE_TOKENS = 4;

function quoted(exchange: Parsed): Quote {
  const found = quote({ pricing, settings: config.pricing, keptTools: [] }, exchange, true);
  if ('kind' in found) throw new Error(found.message);
  return found;
}

/** The reservation for a request, by one of its two bounds. */
function reservedFor(exchange: Parsed, price: Quote, by: 'bytes' | 'count'): number {
  const worst = estimate({
    exchange,
    price: price.price,
    bound: price.bound(by),
    toolsNanoUsd: price.toolsNanoUsd,
    defaultMaxOutputTokens: config.pricing.default_max_output_tokens,
    mayLowerLimit: true,
  });
  return (
    worst.inputNanoUsd + Math.ceil(worst.outputNanoUsd * (limitOf(exchange.request, price.price) ?? 0) - 1e-6)
  );
}

const text = fc.oneof(
  fc.lorem({ maxCount: 60 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
  fc.constant('{"a": [1, 2, "\\u00e9"]}\n'.repeat(20)),
);
const asked: fc.Arbitrary<Asked> = fc.record({
  messages: fc.array(text, { minLength: 1, maxLength: 4 }),
  limit: fc.integer({ min: 1, max: 4_096 }),
  choices: fc.integer({ min: 1, max: 4 }),
  document: fc.boolean(),
  tools: fc.boolean(),
  stream: fc.boolean(),
});
const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
const shares = fc.record({
  input: share,
  output: share,
  read: share,
  write: share,
  forHour: share,
  reasoning: share,
});

interface Case {
  readonly form: Form;
  readonly model: string;
  readonly asked: Asked;
}

const cases: fc.Arbitrary<Case> = fc.constantFrom(...FORMS).chain((form) =>
  fc.record({
    form: fc.constant(form),
    model: fc.constantFrom(...form.models),
    asked: asked.map((one) => ({ ...one, choices: Math.min(one.choices, form.mostChoices ?? 1) })),
  }),
);

const requestOf = ({ form, model, asked: own }: Case): Parsed =>
  parsed({
    provider: form.provider,
    path: form.path(model),
    body: form.body(model, own),
    limits: { daily: 1e12 },
  });

function billOf(
  { asked: own }: Case,
  most: number,
  of: Readonly<Record<keyof Billed | 'read' | 'write' | 'forHour', number>>,
): Billed {
  const input = Math.floor(most * of.input);
  const cacheRead = Math.floor(input * of.read);
  const cacheWrite = Math.floor((input - cacheRead) * of.write);
  const output = Math.floor(own.limit * own.choices * of.output);
  return {
    input,
    cacheRead,
    cacheWrite,
    cacheWrite1h: Math.floor(cacheWrite * of.forHour),
    output,
    reasoning: Math.floor(output * of.reasoning),
  };
}

describe('the bound of a request', () => {
  it('is above the tokens of its texts, counted and by its bytes', () => {
    fc.assert(
      fc.property(cases, (one) => {
        const exchange = requestOf(one);
        const price = quoted(exchange);
        const tokens = exchange.request.texts.reduce((sum, { text: own }) => sum + countText(own), 0);
        const least = tokens + exchange.request.texts.length * TEMPLATE_TOKENS;
        expect(price.bound('bytes').textTokens).toBeGreaterThanOrEqual(least);
        expect(price.bound('count').textTokens).toBeGreaterThanOrEqual(least);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('is never below its bill, in any dialect, with any tokens, at any hour', () => {
    const hours = fc.integer({ min: 0, max: 24 * 60 });
    fc.assert(
      fc.property(
        cases,
        shares,
        hours,
        fc.constantFrom<Outcome['kind']>('complete', 'broken_off', 'lost'),
        (one, of, minutes, kind) => {
          const exchange = requestOf(one);
          const price = quoted(exchange);
          for (const by of ['bytes', 'count'] as const) {
            const reservedNanoUsd = reservedFor(exchange, price, by);
            const billed = billOf(one, price.bound(by).textTokens, {
              ...of,
              cacheRead: 0,
              cacheWrite: 0,
              cacheWrite1h: 0,
            });
            const document = one.form.answer(billed);
            const facts: AnswerFacts = runNow(stepsOf(exchange.endpoint.dialect.answer, document));
            if (facts.usage === undefined) throw new Error('the bill cannot be read');
            const charge = chargeOf({
              ...price,
              parsed: exchange,
              answered: answered(exchange, { usage: facts.usage, says: document, text: 'Well.' }),
              outcome: { kind },
              reservedNanoUsd,
              outputTokens: one.asked.limit,
              isLimited: true,
              abortSlackTokens: config.pricing.abort_slack_tokens,
              elapsedMs: minutes * 1_000,
              outputTokensPerSecond: config.pricing.output_tokens_per_second[one.form.provider],
              at: new Date(Date.now() + minutes * 60_000),
            });
            expect(charge.costNanoUsd).toBeGreaterThanOrEqual(0);
            expect(charge).toEqual({
              costNanoUsd: Math.min(charge.costNanoUsd, reservedNanoUsd),
              reportedNanoUsd: 0,
            });
          }
        },
      ),
      { seed: SEED, numRuns: 600 },
    );
  });
});
