import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyStore } from '../../../src/auth/key-store.ts';
import { createRedisPinStore } from '../../../src/checks/mcp-inspector/redis-store.ts';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import type { Role } from '../../../src/operator/sign-in/roles.ts';
import { createApiTokens } from '../../../src/operator/sign-in/tokens.ts';
import { call, DAY_MS } from '../../contracts/session-rig.ts';
import { startTestPage } from '../../support/operator/page.ts';
import { startTestRedis } from '../../support/redis.ts';
import { runCli, type Ended } from '../../support/run-cli.ts';

const NO_REDIS = { addr: '127.0.0.1:1' };
const CONFIG = `audit: { enabled: true, stdout: false }
mcp: { servers: [{ name: files, url: http://127.0.0.1:1/mcp }] }
budgets: [{ name: search, match: { owners: [search] }, daily: 20 }]
credentials: { team: { provider: openai, from: { env: TEAM_KEY } } }
`;
let secret: string;

const redis = await startTestRedis();
afterAll(() => redis.close());
const page = await startTestPage(redis, {
  audit: { enabled: true, stdout: false },
  mcp: { servers: [{ name: 'files', url: 'http://127.0.0.1:1/mcp' }] },
  budgets: [{ name: 'search', match: { owners: ['search'] }, daily: 20 }],
  credentials: { team: { provider: 'openai', from: { env: 'TEAM_KEY' } } },
});
afterAll(() => page.close());
const folder = await mkdtemp(join(tmpdir(), 'gw-over-api-'));
const config = join(folder, 'gateway.yaml');
const tokenFile = join(folder, 'token');
await writeFile(config, CONFIG);
afterAll(async () => {
  await rm(folder, { recursive: true });
});
beforeEach(() => prepare());
afterEach(() => redis.flush());

/** A gateway's state with something in every list. */
async function prepare(): Promise<void> {
  await redis.flush();
  await writeToken('admin');
  const keys = createKeyStore(redis.client);
  const { record } = await keys.create({ name: 'planner', provider: 'openai', owner: 'search' });
  await keys.create({ name: 'coder', provider: 'groq', allowedTools: [] });
  const sessions = createRedisSessionStore({
    client: redis.client,
    deadlineMs: 2_500,
    ttlMs: DAY_MS,
    maxPerKey: 0,
  });
  await sessions.open(call({ keyHash: record.keyHash, sessionId: 'run-1' }));
  const pins = createRedisPinStore({ client: redis.client, deadlineMs: 2_500 });
  await pins.show('files', [{ name: 'read', digest: 'a'.repeat(64) }]);
  await pins.show('files', [{ name: 'read', digest: 'b'.repeat(64) }]);
}

async function writeToken(role: Role): Promise<void> {
  const tokens = createApiTokens({ client: redis.client, deadlineMs: 2_500 });
  const made = await tokens.create({
    name: 'laptop',
    role,
    owner: undefined,
    createdBy: 'Ada',
    lifeMs: DAY_MS,
  });
  ({ secret } = made);
  await writeFile(tokenFile, `${secret}\n`);
}

function overApi(...args: readonly string[]): Promise<Ended> {
  return runCli(NO_REDIS, ['--server', page.origin, '--token-file', tokenFile, ...args]);
}

function onRedis(...args: readonly string[]): Promise<Ended> {
  return runCli(redis, ['--config', config, ...args]);
}

/** Removes values that differ between two runs: raw keys, their hashes, times. */
function withoutChance({ code, stdout, stderr }: Ended): Ended {
  const steady = (text: string): string =>
    text
      .replace(/gw-[\w-]{43}/g, '<raw key>')
      .replace(/sha256:[0-9a-f]{6,64}|\b[0-9a-f]{16}\b/g, '<hash>')
      .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?/g, '<time>')
      .replace(/\b(?:4m)?\d\ds\b|"lock_ttl_seconds": ?\d+/g, '<left>')
      .replace(/\n[^\n]*<hash>[^\n]*(?=\n)/g, (line) => line.replace(/ {2,}/g, '  '));
  return { code, stdout: steady(stdout), stderr: steady(stderr) };
}

describe('gateway --server', () => {
  it.each([
    [['keys', 'list']],
    [['keys', 'list', '--filter', 'owner=search', '--limit', '1']],
    [['keys', 'show', 'planner']],
    [['keys', 'show', 'nobody']],
    [['budget', 'status']],
    [['budget', 'status', 'planner']],
    [['budget', 'list']],
    [['risk', 'list']],
    [['risk', 'show', 'coder']],
    [['quarantine', 'list']],
    [['sessions', 'list']],
    [['sessions', 'list', 'planner']],
    [['sessions', 'show', 'planner', 'run-1']],
    [['sessions', 'show', 'planner', 'run-2']],
    [['escalations', 'list']],
    [['mcp', 'pins', 'list']],
    [['spend', '--by', 'key', '--since', '3d']],
    [['audit', 'tail']],
    [['audit', 'show', '0b7c1c9e-5d0f-4c57-9d3a-2f1a5a1f0c11']],
  ])('reads as on Redis: %o', async (args) => {
    await onRedis('quarantine', 'set', 'coder', '--for', '5m', '--reason', 'by hand');
    await onRedis('budget', 'set', 'planner', '--daily', '5');
    await onRedis('budget', 'set', '--tag', 'team=search', '--daily', '5');
    for (const output of [[], ['--output', 'json']]) {
      const [local, remote] = [await onRedis(...args, ...output), await overApi(...args, ...output)];
      expect(local.stdout + local.stderr).not.toBe('');
      const lines = ({ stderr }: Ended) => stderr.replace(/ and \S+\/audit\S*/g, '');
      expect(withoutChance({ ...remote, stderr: lines(remote) })).toEqual(
        withoutChance({ ...local, stderr: lines(local) }),
      );
    }
  });

  it.each([
    [['keys', 'create', '--name', 'new', '--provider', 'openai', '--credentials', 'team']],
    [['keys', 'create', '--name', 'planner', '--provider', 'openai']],
    [['keys', 'create', '--name', 'new', '--provider', 'openai', '--reason', 'by hand']],
    [['keys', 'create', '--name', 'new', '--provider', 'openai', '--credentials', 'other']],
    [['keys', 'create', '--name', '', '--provider', 'openai']],
    [['keys', 'update', 'planner', '--credentials', 'team']],
    [['keys', 'rotate', 'planner', '--grace', '1h']],
    [['keys', 'revoke', 'planner']],
    [['budget', 'set', 'planner', '--daily', '5', '--hourly', 'none']],
    [['budget', 'set', '--monthly', '100']],
    [['budget', 'set', '--tag', 'team=search', '--daily', '7']],
    [['budget', 'set', '--name', 'nothing', '--daily', '5']],
    [['risk', 'reset', 'planner']],
    [['quarantine', 'set', 'planner', '--for', '5m', '--reason', 'by hand']],
    [['quarantine', 'release', 'planner']],
    [['sessions', 'end', 'planner', 'run-1']],
    [['sessions', 'end', 'planner', 'run-2']],
    [['mcp', 'pins', 'accept', 'files']],
    [['mcp', 'pins', 'accept', 'files', 'read', '--digest', 'bbbb']],
    [['mcp', 'pins', 'accept', 'files', 'read', '--digest', 'cccc']],
    [['escalations', 'approve', '0b7c1c9e']],
  ])('changes as on Redis: %o', async (args) => {
    for (const output of [[], ['--output', 'json']]) {
      await prepare();
      const local = await onRedis(...args, ...output);
      const localRecords = await records();
      await prepare();
      const remote = await overApi(...args, ...output);
      expect(withoutChance(remote)).toEqual(withoutChance(local));
      const remoteRecords = await records();
      expect(remoteRecords.map(({ api }) => api)).toEqual(localRecords.map(({ api }) => api));
      for (const { actor } of remoteRecords)
        expect(actor.user).toMatchObject({
          name: 'laptop',
          uid: expect.stringMatching(/^token:[0-9a-f]{16}$/),
        });
    }
  });

  it('records the reason that --reason gives', async () => {
    await prepare();
    expect((await overApi('keys', 'revoke', 'planner', '--reason', 'the team has moved')).code).toBe(0);
    const [, fields] = (await redis.client.xrange('gateway:audit', '-', '+')).at(-1) ?? ['', []];
    expect(JSON.parse(fields[1] ?? '')).toMatchObject({
      api: { operation: 'keys revoke' },
      unmapped: { reason: 'the team has moved', role: 'admin' },
    });
  });

  it('reads many keys in few requests', async () => {
    const keys = createKeyStore(redis.client);
    for (let nth = 0; nth < 250; nth += 1)
      await keys.create({ name: `key-${String(nth)}`, provider: 'openai' });
    const remote = await overApi('budget', 'status', '--output', 'json', '--limit', '300');
    expect(remote.code).toBe(0);
    expect(JSON.parse(remote.stdout)).toMatchObject({ total: 252 });
  });

  it('does only what the token’s role permits', async () => {
    await writeToken('viewer');
    const refused = await overApi('keys', 'revoke', 'planner');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/needs the role admin; this token has the role viewer/);
    expect((await createKeyStore(redis.client).find('planner')).revokedAt).toBeUndefined();
    expect((await overApi('keys', 'list')).code).toBe(0);
  });

  it('never prints the token', async () => {
    await redis.client.del('gateway:ui_tokens');
    const attempts = [
      await overApi('keys', 'list', '--verbose'),
      await runCli(NO_REDIS, [
        '--server',
        'http://127.0.0.1:1',
        '--token-file',
        tokenFile,
        'keys',
        'list',
        '-v',
      ]),
      await overApi('keys', 'show', secret, '-v'),
    ];
    for (const { code, stdout, stderr } of attempts) {
      expect(code).toBe(1);
      expect(stdout + stderr).not.toContain(secret);
    }
    expect(attempts[0]?.stderr).toMatch(/API token is unknown, revoked or expired/);
    expect(attempts[1]?.stderr).toMatch(/cannot be reached/);
  });

  it('sends the token to no other host', async () => {
    const seen: unknown[] = [];
    const thief = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    const mover = createServer((_request, response) => {
      const { port } = thief.address() as AddressInfo;
      response.writeHead(307, { location: `http://127.0.0.1:${String(port)}/` }).end();
    });
    for (const one of [thief, mover])
      await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
    const server = `http://127.0.0.1:${String((mover.address() as AddressInfo).port)}`;
    const ended = await runCli(NO_REDIS, ['--server', server, '--token-file', tokenFile, 'keys', 'list']);
    expect(ended.code).toBe(1);
    expect(seen).toEqual([]);
    for (const one of [thief, mover]) one.close();
  });

  it.each([
    [['--server', 'http://gateway.example.com', 'keys', 'list'], 1, /unencrypted/],
    [['--server', 'ftp://127.0.0.1', 'keys', 'list'], 1, /--server must be the URL/],
    [['--server', 'https://u:p@127.0.0.1', 'keys', 'list'], 1, /--server must be the URL/],
    [['--server', 'https://127.0.0.1', 'doctor'], 2, /gateway doctor does not work through the API/],
    [['--server', 'https://127.0.0.1', 'config', 'check'], 2, /gateway config does not work through the API/],
    [
      ['--server', 'https://127.0.0.1', 'risk', 'reset', 'x', '--as', 'Eve'],
      2,
      /--as cannot be used with --server/,
    ],
  ])('refuses %o', async (args, code, words) => {
    const ended = await runCli(NO_REDIS, ['--token-file', tokenFile, ...args]);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(words);
    expect(ended.stderr).not.toContain(secret);
  });

  it('needs a file with a token, and repeats no part of an invalid one', async () => {
    const other = join(folder, 'other');
    await writeFile(other, 'a secret of something else');
    const attempts: readonly (readonly [readonly string[], RegExp])[] = [
      [['--server', page.origin, 'keys', 'list'], /needs --token-file/],
      [['--server', page.origin, '--token-file', other, 'keys', 'list'], /contains no API token/],
      [['--server', page.origin, '--token-file', join(folder, 'none'), 'keys', 'list'], /ENOENT/],
      [['--token-file', tokenFile, 'keys', 'list'], /--token-file needs --server/],
    ];
    for (const [args, words] of attempts) {
      const ended = await runCli(NO_REDIS, args);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toMatch(words);
      expect(ended.stderr).not.toContain('something else');
    }
  });
});

interface Recorded {
  readonly actor: { readonly user: { readonly uid: string; readonly name: string } };
  readonly api: { readonly operation: string };
}

async function records(): Promise<{ actor: Recorded['actor']; api: string }[]> {
  const entries = await redis.client.xrange('gateway:audit', '-', '+');
  return entries.map(([, fields]) => {
    const { actor, api } = JSON.parse(fields[1] ?? '') as Recorded;
    return { actor, api: api.operation };
  });
}
