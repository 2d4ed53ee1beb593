import { beforeEach, describe, expect, it } from 'vitest';
import { useTestRedis } from '../../support/redis.ts';
import { runCli, type Ended } from '../../support/run-cli.ts';
import { makeSecret, seededRandom } from '../../unit/detectors/secrets/samples.ts';

const redis = useTestRedis();
let keyHash = '';

beforeEach(async () => {
  await redis.flush();
  const args = ['keys', 'create', '--name', 'planner', '--provider', 'openai', '--output', 'json'];
  keyHash = (JSON.parse((await gateway(...args)).stdout) as { key_hash: string }).key_hash;
});

const gateway = (...args: readonly string[]): Promise<Ended> => runCli(redis, args);

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, stdout } = await gateway(...args, '--output', 'json');
  expect(code).toBe(0);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const profile = (): string => `gateway:risk_profile:${keyHash}`;

describe('gateway risk', () => {
  it('show prints the profile of a key with the names of docs/risk.md, money in USD', async () => {
    await redis.client.hset(profile(), {
      risk_score: '80',
      scored_at: String(Date.now() - 86_400_000),
      total_policy_blocks: '7',
      total_spend: '2500000000',
      persistent_taint_flags: '["secret_accessed"]',
      session_count: '3',
      blocked_at: '1760000000000',
    });
    expect(await json('risk', 'show', 'planner')).toEqual({
      key_hash: keyHash,
      name: 'planner',
      risk_score: 75,
      total_policy_blocks: 7,
      total_escalations: 0,
      total_spend: 2.5,
      persistent_taint_flags: ['secret_accessed'],
      session_count: 3,
      quarantine_active: false,
      blocked_at: '2025-10-09T08:53:20.000Z',
    });
    const { stdout } = await gateway('risk', 'show', keyHash.slice(0, 20));
    expect(stdout).toMatch(/^risk_score +75$/m);
  });

  it('reset reports the removed score, and a remaining lock; nothing goes to standard error', async () => {
    await redis.client.hset(profile(), { risk_score: '95', blocked_at: '1760000000000', total_spend: '7' });
    await gateway('quarantine', 'set', 'planner');
    const { code, stdout, stderr } = await gateway('risk', 'reset', 'planner');
    expect(code).toBe(0);
    expect(stdout).toBe(
      `planner (${keyHash}) has a risk score of 0 (it was 95), and is no longer blocked. ` +
        'It is still locked: gateway quarantine release planner\n',
    );
    expect(stderr).toBe('');
    expect(await redis.client.hgetall(profile())).toEqual({ total_spend: '7' });
  });
});

describe('gateway quarantine', () => {
  it('set locks for an hour, or for the given time; the longer lock stays', async () => {
    expect(await json('quarantine', 'set', 'planner')).toMatchObject({ lock_ttl_seconds: 3_600 });
    const { stdout, stderr } = await gateway('quarantine', 'set', 'planner', '--for', '5m');
    expect(stdout).toMatch(
      /is locked for .* UTC\. It already had a longer lock, which is kept\. To unlock: gateway quarantine release planner\n$/,
    );
    expect(stderr).toBe('');
    expect(await redis.client.ttl(`gateway:quarantine:${keyHash}`)).toBeGreaterThan(3_590);
    expect(await json('quarantine', 'set', 'planner', '--for', '2h')).toMatchObject({
      lock_ttl_seconds: 7_200,
    });
  });

  it('list shows the locked keys, release unlocks', async () => {
    expect((await gateway('quarantine', 'list')).stdout).toBe('No key is locked.\n');
    await json('quarantine', 'set', 'planner', '--for', '90s');
    expect((await gateway('quarantine', 'list')).stdout).toMatch(/^planner +sha256:\w+ +90s +\d{4}-/m);
    await redis.client.set(`gateway:quarantine:${keyHash}`, 'by hand');
    expect(await json('quarantine', 'list')).toEqual({
      locks: [
        { key_hash: keyHash, name: 'planner', lock_ttl_seconds: null, locked_until: null, cause: null },
      ],
    });
    expect(await json('quarantine', 'release', 'planner')).toMatchObject({ released: true });
    expect((await gateway('quarantine', 'release', 'planner')).stdout).toContain('was not locked');
    expect(await json('quarantine', 'list')).toEqual({ locks: [] });
  });

  it('list shows the reason; an operator’s reason is one line without secrets', async () => {
    const { secret } = makeSecret('github_token', seededRandom(4));
    const reason = `leaked ${secret}\u001b[2J\n\u202eask Ann ${'x'.repeat(300)}`;
    const { stderr } = await gateway('quarantine', 'set', 'planner', '--reason', reason);
    expect(stderr).not.toContain(secret);
    const { locks } = (await json('quarantine', 'list')) as { locks: { cause: { reason: string } }[] };
    const [listed] = locks;
    expect(listed?.cause).toEqual({
      kind: 'operator',
      reason: expect.stringMatching(/^leaked \*\*\* \[2J ask Ann x+$/) as string,
    });
    expect(listed?.cause.reason).toHaveLength(200);
    expect((await gateway('quarantine', 'list')).stdout).toMatch(/ CAUSE$/m);
    expect((await gateway('quarantine', 'list')).stdout).toContain('an operator has locked it: leaked ***');
    await gateway('quarantine', 'release', 'planner');
    await gateway('quarantine', 'set', 'planner', '--reason', ' \n ');
    expect(await json('quarantine', 'list')).toMatchObject({ locks: [{ cause: { kind: 'operator' } }] });
  });

  it.each([
    [
      ['quarantine', 'set', 'planner', '--for', '0'],
      2,
      '--for must be longer than zero, for example: --for 1h',
    ],
    [['quarantine', 'set', 'planner', '--for', 'soon'], 2, '--for: "soon" is not a duration'],
    [['quarantine', 'set', 'nobody'], 1, 'no key has "nobody" as its name'],
    [['risk', 'reset', 'nobody'], 1, 'no key has "nobody" as its name'],
  ])('%j is refused with exit code %i', async (args, code, message) => {
    const ended = await gateway(...args);
    expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: '' });
    expect(ended.stderr).toContain(message);
  });
});
