import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { spendKey } from '../../src/redis/keys.ts';
import { cli, expectRefusal, startBudgets, TOKEN, type Budgets } from './budgets/rig.ts';
import { loggedLine } from '../support/log-lines.ts';

/** docs/upgrading.md: Redis data of a version that this gateway cannot read. */
let budgets: Budgets;

beforeAll(async () => {
  budgets = await startBudgets();
});
afterAll(() => budgets.close());

async function doctor(): Promise<{ code: number; problems: readonly string[] }> {
  const { code, stdout } = await cli(budgets.gateway, 'doctor', '--output', 'json');
  const { findings } = JSON.parse(stdout) as {
    findings: readonly Record<'check' | 'status' | 'message', string>[];
  };
  return { code, problems: findings.flatMap(({ status, message }) => (status === 'fail' ? [message] : [])) };
}

describe('a ledger of an unknown version', () => {
  it('refuses its key with the reason, and is reported everywhere; everything works once it can be read', async () => {
    const { gateway, redis } = budgets;
    const [client, other] = [
      await budgets.newClient({ budget: { monthly: 1 } }),
      await budgets.newClient({ budget: { monthly: 1 } }),
    ];
    expect((await client.ask()).status).toBe(200);
    await client.expectSpent(1_000 * TOKEN);
    expect(await doctor()).toEqual({ code: 0, problems: [] });

    const ledger = spendKey(client.keyHash, 'windows');
    await redis.client.setrange(ledger, 0, '\u0009');
    const stored = await redis.client.getBuffer(ledger);
    const refused = await client.ask();
    expectRefusal(refused, 503, 'stored_form_unknown');
    expect(refused.body).toContain('(ledger, version 9)');
    expect(refused.headers['x-should-retry']).toBeUndefined();
    expect(client.forwarded()).toHaveLength(1);
    expect(await redis.client.getBuffer(ledger)).toEqual(stored);
    expect((await other.ask()).status).toBe(200);

    await vi.waitFor(async () =>
      expect(await gateway.metrics()).toMatch(/^gateway_unknown_forms_total\{form="ledger"\} 1$/m),
    );
    expect((await gateway.readiness()).ready).toBe(true);
    expect(await loggedLine(gateway, '"level":"error"')).toMatchObject({
      form: 'ledger',
      version: '9',
      msg: expect.stringContaining('docs/upgrading.md') as string,
    });
    const { code, problems } = await doctor();
    expect([code, problems]).toEqual([
      1,
      [expect.stringContaining('ledger of version 9: this gateway cannot read 1')],
    ]);

    await redis.client.setrange(ledger, 0, '\u0002');
    expect((await client.ask()).status).toBe(200);
    await client.expectSpent(2_000 * TOKEN);
  });
});
