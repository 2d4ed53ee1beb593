import { describe, expect, it } from 'vitest';
import type { Check, Denial } from '../../../src/pipeline/check.ts';
import type { Identified, Parsed } from '../../../src/pipeline/exchange.ts';
import { createRunner, type VerdictObserver } from '../../../src/pipeline/run.ts';

const DENIAL: Denial = { kind: 'deny', type: 'loop_detected', message: 'a loop' };

function exchange(): Parsed {
  return { responseHeaders: new Map<string, string>() } as unknown as Parsed;
}

function recorder() {
  const seen: string[] = [];
  const observer: VerdictObserver = {
    verdict: (_exchange, check, verdict, enforced) =>
      seen.push(`${check} ${verdict.kind} ${String(enforced)}`),
    enforceFailed: (_exchange, check) => seen.push(`${check} enforce failed`),
    endFailed: (_exchange, check) => seen.push(`${check} end failed`),
  };
  return { seen, observer };
}

function denying(name: Check['name'], shadowable: boolean): Check {
  return { name, shadowable, requestBody: () => DENIAL };
}

describe('the runner', () => {
  it('lets the first denial win and asks nobody after it', async () => {
    const { seen, observer } = recorder();
    const asked: string[] = [];
    const late: Check = {
      name: 'budget',
      shadowable: false,
      requestBody: () => {
        asked.push('budget');
        return { kind: 'pass' };
      },
    };
    const run = createRunner({ checks: [denying('allowed', false), late], shadowMode: false, observer })();
    expect(await run.requestBody(exchange())).toEqual(DENIAL);
    expect(asked).toEqual([]);
    expect(seen).toEqual(['allowed deny true']);
  });

  it('turns a shadowable denial into a record under shadow mode, and no other', async () => {
    const { seen, observer } = recorder();
    const checks = [denying('provider-tools', true), denying('budget', false)];
    const run = createRunner({ checks, shadowMode: true, observer })();
    const parsed = exchange();
    expect(await run.requestBody(parsed)).toEqual(DENIAL);
    expect(seen).toEqual(['provider-tools deny false', 'budget deny true']);
    expect(parsed.responseHeaders.get('x-gateway-shadow')).toBe('loop_detected');
  });

  it('lets every check prepare, in order and in one turn, before the first one judges', async () => {
    const { observer } = recorder();
    const calls: string[] = [];
    const preparing = (name: Check['name']): Check => ({
      name,
      shadowable: false,
      prepare: () => calls.push(`${name} prepares`),
      requestBody: async () => {
        await Promise.resolve();
        calls.push(`${name} judges`);
        return { kind: 'pass' };
      },
    });
    const checks = [preparing('session'), preparing('loop')];
    const judged = createRunner({ checks, shadowMode: false, observer })().requestBody(exchange());
    expect(calls).toEqual(['session prepares', 'loop prepares']);
    await judged;
    expect(calls.slice(2)).toEqual(['session judges', 'loop judges']);
  });

  it('ends every check once, last first, with the state of its own exchange, whatever one of them throws', async () => {
    const { seen, observer } = recorder();
    const ended: string[] = [];
    let states = 0;
    const ending = (name: Check['name'], fails: boolean): Check => ({
      name,
      shadowable: false,
      begin: () => ++states,
      end: (_exchange: Identified, outcome, state) => {
        ended.push(`${name} ${outcome.kind} ${String(state)}`);
        if (fails) throw new Error('no');
      },
    });
    const run = createRunner({
      checks: [ending('allowed', false), ending('budget', true)],
      shadowMode: false,
      observer,
    })();
    await run.end(exchange(), { kind: 'lost' });
    await run.end(exchange(), { kind: 'complete' });
    expect(ended).toEqual(['budget lost 2', 'allowed lost 1']);
    expect(seen).toEqual(['budget end failed']);
  });
});
