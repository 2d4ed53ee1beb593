import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { gatewayProgram } from '../../support/parts.ts';
import { startTestRedis } from '../../support/redis.ts';
import { commandRunner, type Ended } from '../../support/run-cli.ts';

const run = commandRunner(await gatewayProgram());
const redis = await startTestRedis();
afterAll(() => redis.close());
beforeEach(() => redis.flush());

const gateway = (args: readonly string[]): Promise<Ended> => run(args, { REDIS_ADDR: redis.addr });

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await gateway([...args, '--output', 'json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

const create = (...more: string[]) =>
  json('keys', 'create', '--name', 'planner', '--provider', 'openai', ...more);

describe('gateway keys --policy-overrides', () => {
  const overrides = ['--policy-overrides', 'block-prompt-injection=report, mask-phone=off'];

  it('are stored with a new key, changed by update, and removed by none', async () => {
    const stored = { 'block-prompt-injection': 'report', 'mask-phone': 'off' };
    expect(await create(...overrides)).toMatchObject({ policy_overrides: stored });
    expect(await json('keys', 'rotate', 'planner')).toMatchObject({ policy_overrides: stored });
    const changed = await json('keys', 'update', 'planner', '--policy-overrides', 'mask-ssn=enforce');
    expect(changed).toMatchObject({ policy_overrides: { 'mask-ssn': 'enforce' } });
    expect(await json('keys', 'update', 'planner', '--policy-overrides', 'none')).not.toHaveProperty(
      'policy_overrides',
    );
  });

  it.each(['mask-ssn', 'mask-ssn=on', '=off', 'a=off=off'])('%s is an error', async (written) => {
    const flags = ['--name', 'x', '--provider', 'openai', '--policy-overrides', written];
    const { code, stderr } = await gateway(['keys', 'create', ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain('--policy-overrides');
  });

  it('warn about a name that matches no rule', async () => {
    await create();
    const { code, stderr } = await gateway([
      'keys',
      'update',
      'planner',
      '--policy-overrides',
      'no-such=off',
    ]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('no-such matches no rule of a loaded card or preset'),
    });
  });
});
