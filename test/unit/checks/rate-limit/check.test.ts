import { describe, expect, it } from 'vitest';
import { createRateLimitCheck } from '../../../../src/checks/rate-limit/check.ts';
import { createMemoryRateLimitStore } from '../../../support/stores/rate-limit.ts';
import { parsed } from '../../../support/exchange.ts';

function rig(config: { enabled: boolean; requests_per_minute: number }) {
  const clock = { now: 1_000_000 };
  const check = createRateLimitCheck({ config, store: createMemoryRateLimitStore(() => clock.now) });
  async function send() {
    const exchange = parsed({ keyHash: 'sha256:one', body: { model: 'm', messages: [] } });
    const state = check.begin?.() ?? {};
    check.prepare?.(exchange.key, state);
    const verdict = await check.admit?.(exchange, state);
    return { verdict, headers: Object.fromEntries(exchange.responseHeaders) };
  }
  return { clock, check, send };
}

describe('the rate limit', () => {
  it('reports quota and remainder in structured fields, and the remainder until the quota is full', async () => {
    const { clock, send } = rig({ enabled: true, requests_per_minute: 60 });
    for (let nth = 1; nth < 10; nth++) await send();
    expect(await send()).toEqual({
      verdict: { kind: 'pass' },
      headers: { 'ratelimit-policy': '"default";q=60;w=60', ratelimit: '"default";r=50;t=10' },
    });
    clock.now += 400;
    expect((await send()).headers['ratelimit']).toBe('"default";r=49;t=11');
  });

  it('refuses with a wait in whole seconds, rounded up, and the same wait in RateLimit', async () => {
    const { clock, send } = rig({ enabled: true, requests_per_minute: 7 });
    for (let nth = 1; nth <= 7; nth++) await send();
    expect(await send()).toEqual({
      verdict: {
        kind: 'deny',
        type: 'rate_limited',
        message: 'this key may send 7 requests a minute: try again in 9 s',
        headers: { 'retry-after': '9' },
      },
      headers: { 'ratelimit-policy': '"default";q=7;w=60', ratelimit: '"default";r=0;t=9' },
    });
    clock.now += 8_571;
    expect((await send()).verdict).toMatchObject({ headers: { 'retry-after': '1' } });
  });

  it('acts in shadow mode too, and never if disabled', async () => {
    const { check } = rig({ enabled: true, requests_per_minute: 1 });
    expect(check.shadowable).toBe(false);
    expect(rig({ enabled: false, requests_per_minute: 1 }).check.admit).toBeUndefined();
  });
});
