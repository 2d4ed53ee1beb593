import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import { call, DAY_MS } from '../../contracts/session-rig.ts';
import { CREATE_PLANNER } from '../../support/create-planner.ts';
import { makeSecret, seededRandom } from '../../unit/detectors/secrets/samples.ts';
import { startTestRedis } from '../../support/redis.ts';
import { runCli, type Ended } from '../../support/run-cli.ts';
import { startSyslogServer } from '../../support/syslog-server.ts';
import { connect } from '../checks/budget/support.ts';

const redis = await startTestRedis();
afterAll(() => redis.close());
const folder = await mkdtemp(join(tmpdir(), 'operator-'));
const config = join(folder, 'gateway.yaml');
await writeFile(config, 'audit: { enabled: true }\n');
afterAll(async () => {
  await rm(folder, { recursive: true });
});

interface Recorded {
  readonly actor: { readonly user: { readonly uid: string; readonly name: string } };
  readonly api: { readonly operation: string };
  readonly unmapped: Readonly<Record<string, unknown>>;
}

let keyHash: string;
beforeEach(async () => {
  await redis.flush();
  const created = await gateway(...CREATE_PLANNER);
  keyHash = (JSON.parse(created) as { key_hash: string }).key_hash;
  await redis.client.del('gateway:audit');
});

async function gateway(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(redis, [...args, '--config', config]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

async function openSession(sessionId: string): Promise<void> {
  const client = await connect(redis.addr);
  const sessions = createRedisSessionStore({ client, deadlineMs: 2_500, ttlMs: DAY_MS, maxPerKey: 0 });
  await sessions.open(call({ keyHash, sessionId }));
  client.disconnect();
}

async function records(): Promise<Recorded[]> {
  const lines = (await gateway('audit', 'tail', '--output', 'json')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Recorded);
}

describe('an operator’s change', () => {
  it('is recorded with the name in --as, beside the system user, and with the reason', async () => {
    await openSession('run-1');
    const commands = [
      ['keys', 'create', '--name', 'other', '--provider', 'groq'],
      ['keys', 'update', 'planner', '--policy-overrides', 'none'],
      ['keys', 'rotate', 'planner'],
      ['budget', 'set', 'planner', '--daily', '5'],
      ['sessions', 'end', 'planner', 'run-1'],
      ['risk', 'reset', 'planner'],
      ['quarantine', 'set', 'planner', '--for', '5m'],
      ['quarantine', 'release', 'planner'],
      ['keys', 'revoke', 'planner'],
    ];
    for (const command of commands) await gateway(...command, '--as', 'Jane Doe', '--reason', 'tidying up');
    const found = await records();
    expect(found.map(({ api }) => api.operation)).toEqual(
      commands.map((words) => words.slice(0, 2).join(' ')),
    );
    for (const { actor, unmapped } of found) {
      expect(actor.user).toEqual({ uid: userInfo().username, name: 'Jane Doe' });
      expect(unmapped['reason']).toBe('tidying up');
    }
  });

  it('has the reason that --reason gives, without secrets', async () => {
    const { secret } = makeSecret('aws_access_key_id', seededRandom(1));
    await gateway('budget', 'set', 'planner', '--daily', '5', '--reason', `asked\u0007 for ${secret}`);
    await gateway('quarantine', 'set', 'planner', '--for', '5m', '--reason', 'odd calls');
    const [budget, lock] = await records();
    expect(budget?.unmapped).toMatchObject({ reason: expect.stringMatching(/^asked for \S*\*/) });
    expect(JSON.stringify(budget)).not.toContain(secret);
    expect(lock?.unmapped).toMatchObject({ reason: 'odd calls', cause: { reason: 'odd calls' } });
  });

  it('to end a session names key and session', async () => {
    await openSession('run-2');
    await gateway('sessions', 'end', 'planner', 'run-2');
    const [ended] = await records();
    expect(ended).toMatchObject({
      actor: { user: { name: userInfo().username } },
      activity_name: 'Delete',
      api: { operation: 'sessions end' },
      resources: [{ type: 'proxy_key', name: 'planner' }],
      unmapped: { key_hash: keyHash, session_id: 'run-2' },
    });
  });

  it('is not recorded if nothing changed: a key that was already revoked', async () => {
    await gateway('keys', 'revoke', 'planner');
    await gateway('keys', 'revoke', 'planner');
    expect(await records()).toHaveLength(1);
  });
});

describe('the table of audit tail', () => {
  it('names the target and the limits of an operator’s change', async () => {
    await gateway('budget', 'set', 'planner', '--hourly', '0.05', '--as', 'jane');
    await gateway('budget', 'set', '--daily', '5');
    const [own = '', fallback = ''] = (await gateway('audit', 'tail')).split('\n');
    expect(own).toMatch(
      /Z {2}Allowed +- +jane {2}gateway budget set {2}key planner {2}limits_usd=hourly:0\.05$/,
    );
    expect(fallback).toMatch(/gateway budget set {2}limits_usd=daily:5$/);
  });

  it('shows the status of a refusal sent as JSON-RPC, its tool and its outcome', async () => {
    const record = {
      class_uid: 6003,
      time: 1_760_000_000_000,
      disposition: 'Blocked',
      status_code: '200',
      status_detail: 'policy_denied',
      message: 'tool write_file is not allowed',
      actor: { user: { uid: keyHash, name: 'planner' } },
      api: { operation: 'tools/call', service: { name: 'mcp:files' } },
      resources: [
        { type: 'proxy_key', name: 'planner' },
        { type: 'mcp_server', name: 'files' },
        { type: 'mcp_tool', name: 'write_file\u001b[2J' },
      ],
      unmapped: { stage: 'finished', outcome: 'refused' },
      metadata: { correlation_uid: 'r-1' },
    };
    await redis.client.xadd('gateway:audit', '*', 'ocsf', JSON.stringify(record));
    expect(await gateway('audit', 'tail')).toBe(
      '2025-10-09T08:53:20.000Z  Blocked      403  planner  mcp:files tools/call  tool write_file\uFFFD[2J  ' +
        'policy_denied  outcome refused  tool write_file is not allowed  r-1\n',
    );
  });
});

describe('an operator’s change, if the trail goes to a SIEM', () => {
  it('is sent there too, and the command reports if that failed', async () => {
    const syslog = await startSyslogServer();
    const own = join(folder, 'siem.yaml');
    await writeFile(own, `audit: { enabled: true, syslog: { address: '${syslog.address}', tls: false } }\n`);
    const change = (): Promise<Ended> =>
      runCli(redis, ['budget', 'set', 'planner', '--daily', '1', '--config', own]);
    expect(await change()).toMatchObject({ code: 0, stderr: '' });
    await expect.poll(() => syslog.messages.map(({ text }) => operationOf(text))).toEqual(['budget set']);
    await syslog.close();
    const { code, stderr } = await change();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /the change was made and is recorded in Redis, but the record was not sent to the receivers: audit.syslog: .*ECONNREFUSED/,
    );
  });
});

const operationOf = (text: string): string => (JSON.parse(text) as Recorded).api.operation;
