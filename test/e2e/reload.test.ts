import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import type { Reply } from '../support/http.ts';
import { readMetrics } from '../support/metrics.ts';
import { gatewayProgram } from '../support/parts.ts';
import { runProgram } from '../support/run-cli.ts';
import { askWith } from '../support/ask-provider.ts';

/** A running gateway applies changes of its gateway.yaml: completely, validated, and without a failed request. */
let provider: FakeProvider;
let gateway: TestGateway;
let rawKey: string;
let original: ConfigInput;

beforeAll(async () => {
  provider = await createFakeProvider();
  gateway = await startGateway({
    workers: 2,
    config: { providers: { openai: { base_url: provider.url } }, server: { dlp: { enabled: false } } },
  });
  ({ rawKey } = await gateway.createKey());
  original = parse(readFileSync(gateway.configFile, 'utf8')) as ConfigInput;
});
afterAll(async () => {
  await gateway.stop();
  await provider.close();
});

/** Replaces the file by a rename, as editors and deployment tools do. */
function write(text: string): void {
  writeFileSync(`${gateway.configFile}.next`, text);
  renameSync(`${gateway.configFile}.next`, gateway.configFile);
}

function writeServer(server: NonNullable<ConfigInput['server']>): void {
  write(stringify({ ...original, server: { ...original.server, ...server } }));
}

const SECRET = 'AKIAIOSFODNN7EXAMPLE'.replace('EXAMPLE', 'QWERTYU');

function ask(stream = false): Promise<Reply> {
  const messages = [{ role: 'user', content: `Use ${SECRET}` }];
  return askWith(gateway, rawKey, '/openai/v1/chat/completions', { model: 'gpt-4o', stream, messages });
}

async function notInForce(): Promise<Record<string, number | undefined>> {
  const { sum } = await readMetrics(gateway);
  const of = (reason: string): number | undefined => sum('gateway_config_not_in_force', { reason });
  return { broken: of('broken'), restart: of('restart'), refused: of('refused') };
}
const IN_FORCE = { broken: 0, restart: 0, refused: 0 };
const readyz = async (): Promise<unknown> =>
  ((await (await fetch(`${gateway.adminUrl}/readyz`)).json()) as { config: unknown }).config;

/** `gateway config check --running` on the gateway's file. */
async function checked(): Promise<{ code: number | null; running: unknown }> {
  const args = ['--config', gateway.configFile, 'config', 'check', '--running', '--output', 'json'];
  const env = { SERVER_INSECURE_DEV: 'true' };
  const { code, stdout } = await runProgram(await gatewayProgram(), args, { cwd: '/', env });
  return { code, running: (JSON.parse(stdout) as { running: unknown }).running };
}

describe('a changed gateway.yaml', () => {
  it('is in effect in every worker, and no request fails', async () => {
    let isOver = false;
    const lost: unknown[] = [];
    let asked = 0;
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const { status, body } = await ask();
        asked += 1;
        if (status !== 200 && status !== 403) lost.push([status, body]);
      }
    });
    expect((await ask()).status).toBe(200);
    writeServer({ dlp: { enabled: true, requests: 'deny' } });
    await expect.poll(async () => (await readMetrics(gateway)).sum('gateway_config_reloads_total')).toBe(1);
    // More requests than both workers have.
    await expect
      .poll(
        async () =>
          new Set((await Promise.all(Array.from({ length: 12 }, () => ask()))).map(({ status }) => status)),
      )
      .toEqual(new Set([403]));
    isOver = true;
    await Promise.all(load);
    expect(lost).toEqual([]);
    expect(asked).toBeGreaterThan(20);
    expect(await notInForce()).toEqual(IN_FORCE);
    expect(await readyz()).toEqual({ in_force: true, keys: [] });
    expect(await checked()).toEqual({
      code: 0,
      running: { ok: true, message: 'running and ready, 2 workers' },
    });
  });

  it('stays in effect for restarted workers', async () => {
    for (const { pid } of gateway.workers()) process.kill(pid, 'SIGKILL');
    await gateway.waitUntil(({ workers }) => workers.ready < 2);
    await gateway.waitUntil(({ ready }) => ready);
    await expect.poll(async () => (await ask()).status).toBe(403);
  });

  it('that is invalid leaves the last good one in effect, and is reported', async () => {
    write('server: {port: no, dlp: {enabled: false}}\n');
    await expect.poll(notInForce).toEqual({ ...IN_FORCE, broken: 1 });
    expect((await ask()).status).toBe(403);
    await expect.poll(() => gateway.logs()).toMatch(/server\.port.*the changed gateway\.yaml is invalid/);
  });

  it('that needs a restart is reported with its keys, and no part of it is in effect', async () => {
    writeServer({ port: original.server?.port === 1 ? 2 : 1, dlp: { enabled: false } });
    await expect.poll(notInForce).toEqual({ ...IN_FORCE, restart: 1 });
    expect(await readyz()).toEqual({ in_force: false, reason: 'restart', keys: ['server.port'] });
    await expect.poll(() => gateway.logs()).toMatch(/"keys":\["server\.port"\].*needs a restart/);
    expect(await checked()).toEqual({
      code: 1,
      running: {
        ok: false,
        message:
          'running, but the changed gateway.yaml is not in effect: restart the gateway to apply server.port',
      },
    });
    expect((await ask()).status).toBe(403);
  });

  it('that a worker cannot use is dropped by all', async () => {
    write(stringify({ ...original, audit: { enabled: true, file: '/nowhere/audit.jsonl' } }));
    await expect.poll(notInForce).toEqual({ ...IN_FORCE, refused: 1 });
    expect((await ask()).status).toBe(403);
    await expect.poll(() => gateway.logs()).toMatch(/audit\.file: cannot be appended to/);
  });

  it('is in effect again once it is corrected', async () => {
    write(stringify(original));
    await expect.poll(notInForce).toEqual(IN_FORCE);
    await expect.poll(async () => (await ask()).status).toBe(200);
  });
});
