import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestRedis, type TestRedis } from '../../../support/redis.ts';
import { runCli, type Ended } from '../../../support/run-cli.ts';

let redis: TestRedis;
let folder: string;
beforeAll(async () => {
  redis = await startTestRedis();
  folder = mkdtempSync(join(tmpdir(), 'gateway-mcp-'));
  writeFileSync(
    join(folder, 'gateway.yaml'),
    'mcp: {servers: [{name: files, url: "http://localhost:1"}, {name: mail, url: "http://localhost:2"}]}\n',
  );
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await redis.close();
});

const PINNED_AT = 1_760_000_000_000;
const PINNED = '2025-10-09T08:53:20.000Z';

beforeEach(async () => {
  await redis.flush();
  await redis.client.hset('gateway:mcp_pins:files', {
    'pin:read': `digest-1 ${String(PINNED_AT)}`,
    'pin:write': `digest-2 ${String(PINNED_AT)}`,
    'changed:write': `digest-3 ${String(PINNED_AT + 1_000)}`,
  });
  await redis.client.hset('gateway:mcp_pins:mail', { 'pin:send': `digest-4 ${String(PINNED_AT)}` });
});

const gateway = (...args: readonly string[]): Promise<Ended> =>
  runCli(redis, ['--config', join(folder, 'gateway.yaml'), ...args]);

describe('gateway mcp pins', () => {
  it('list shows the tools of every configured server, and when they changed', async () => {
    const { code, stdout } = await gateway('mcp', 'pins', 'list');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['SERVER', 'TOOL', 'PINNED (UTC)', 'CHANGED (UTC)', 'NEW DIGEST'],
      ['files', 'read', '2025-10-09 08:53:20', '-', '-'],
      ['files', 'write', '2025-10-09 08:53:20', '2025-10-09 08:53:21', 'digest-3'],
      ['mail', 'send', '2025-10-09 08:53:20', '-', '-'],
      [''],
    ]);
  });

  it('list prints one server as JSON', async () => {
    const { stdout } = await gateway('mcp', 'pins', 'list', 'mail', '--output', 'json');
    expect(JSON.parse(stdout)).toEqual({
      pins: [
        {
          server: 'mail',
          tool: 'send',
          digest: 'digest-4',
          pinned_at: PINNED,
          changed_digest: null,
          changed_at: null,
        },
      ],
    });
    expect((await gateway('mcp', 'pins', 'list', 'unheard-of')).stdout).toMatch(/^No tools are pinned yet/);
  });

  it('accept takes the changed tools, and has nothing to do the second time', async () => {
    const first = await gateway('mcp', 'pins', 'accept', 'files', '--output', 'json');
    expect(JSON.parse(first.stdout)).toEqual({
      server: 'files',
      accepted: [{ tool: 'write', digest: 'digest-3' }],
    });
    expect(first.stderr).toBe('');
    expect(await redis.client.hget('gateway:mcp_pins:files', 'pin:write')).toMatch(/^digest-3 \d+$/);
    const second = await gateway('mcp', 'pins', 'accept', 'files', 'write');
    expect(second).toEqual({
      code: 0,
      stdout: 'write on files has not changed.\n',
      stderr: '',
    });
  });

  it('accept takes one named tool', async () => {
    await redis.client.hset('gateway:mcp_pins:files', { 'changed:read': `digest-5 ${String(PINNED_AT)}` });
    expect((await gateway('mcp', 'pins', 'accept', 'files', 'read')).stdout).toBe(
      'Accepted: read (digest-5)\n',
    );
    expect(await redis.client.hexists('gateway:mcp_pins:files', 'changed:write')).toBe(1);
  });

  it('accept takes the reviewed definition, and no later one', async () => {
    const other = await gateway('mcp', 'pins', 'accept', 'files', 'write', '--digest', 'digest-2');
    expect([other.code, other.stdout]).toEqual([1, '']);
    expect(other.stderr).toContain('write on files has changed to digest-3: nothing was accepted');
    expect(await redis.client.hexists('gateway:mcp_pins:files', 'changed:write')).toBe(1);
    const none = await gateway('mcp', 'pins', 'accept', 'files', 'read', '--digest', 'digest-1');
    expect(none.stderr).toContain('read on files has not changed: nothing was accepted');
    expect((await gateway('mcp', 'pins', 'accept', 'files', '--digest', 'digest-3')).code).toBe(2);
    const { stdout } = await gateway('mcp', 'pins', 'accept', 'files', 'write', '--digest', 'digest-3');
    expect(stdout).toBe('Accepted: write (digest-3)\n');
  });
});
