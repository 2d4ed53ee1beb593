import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { it, expect } from 'vitest';
import { type Marked, mark, found } from '../../support/secret-search.ts';
import { gatewayProgram } from '../../support/parts.ts';
import { createEnvoyAdmin } from '../../../src/runtime/envoy-process.ts';
import { descendants } from '../../support/processes.ts';
import { storedText } from '../../support/stored-text.ts';
import { SUCCESSES } from './requests.ts';
import {
  proxyKeys,
  providerKeys,
  REDIS_PASSWORD,
  ALERT_SECRET,
  unknownKey,
  redis,
  monitored,
  gateway,
  answered,
  provider,
} from './rig.ts';

export function keysNotFound(): void {
  const all = (): Marked[] => [
    ...proxyKeys,
    ...providerKeys,
    mark('redis.password', REDIS_PASSWORD),
    mark('alerting.secret', ALERT_SECRET),
  ];
  /** Its hash may appear anywhere. */
  const anyHash = /sha256:[0-9a-f]{64}/;

  it('by a search without results', () => {
    const secret = unknownKey('planted');
    const planted = [mark('planted', secret)];
    const bytes = Buffer.from(`xy${secret}z`);
    const hidden = [
      `…${secret}…`,
      secret.slice(12, 38),
      ...[0, 1, 2].map((from) => bytes.subarray(from).toString('base64')),
      bytes.toString('base64url'),
      bytes.toString('hex').toUpperCase(),
      [...Buffer.from(secret)].map((byte) => `%${byte.toString(16).toUpperCase()}`).join(''),
    ];
    for (const text of hidden) expect(found(planted, text), text).toEqual(['planted']);
    expect(found(planted, `${secret.slice(0, 12)} ${secret.slice(-8)}`)).toEqual([]);
    expect(proxyKeys.length).toBeGreaterThan(70);
  });

  it('in Redis: names, values, SLOWLOG, MONITOR', async () => {
    const stored = await storedText(redis.client);
    const slowlog = JSON.stringify(await redis.client.slowlog('GET', -1));
    for (const text of [stored, slowlog, monitored]) {
      expect(text).toMatch(anyHash);
      expect(found([...proxyKeys, ...providerKeys], text)).toEqual([]);
    }
    expect(slowlog.length).toBeGreaterThan(50_000);
  });

  it("in the logs at debug: ours, Envoy's and its access log", () => {
    const logs = gateway.logs();
    expect(logs).toMatch(anyHash);
    expect(logs).toContain('"details":"via_upstream"');
    expect(found(all(), logs)).toEqual([]);
  });

  it('in the metrics', async () => {
    const metrics = await gateway.metrics();
    expect(metrics).toContain('gateway_requests_total');
    expect(found(all(), metrics)).toEqual([]);
  });

  it('in the answers to clients', () => {
    expect(answered).toContain('invalid_key');
    expect(answered.length).toBeGreaterThan(10_000);
    expect(found(all(), answered)).toEqual([]);
  });

  it('in `config print`', async () => {
    const args = [await gatewayProgram(), '--config', gateway.configFile, 'config', 'print'];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env: { ...process.env, SERVER_INSECURE_DEV: 'true' },
    });
    expect(stdout).toContain('***');
    expect(found(all(), stdout)).toEqual([]);
  });

  it("in Envoy's configuration, its admin interface, and the processes' command lines", async () => {
    const configFile = /-c (\S+)/.exec(gateway.envoy()?.command ?? '')?.[1] ?? '';
    const admin = createEnvoyAdmin(configFile.replace(/[^/]+$/, 'admin.sock'));
    const texts = [readFileSync(configFile, 'utf8')];
    for (const path of [
      '/config_dump',
      '/stats',
      '/stats/prometheus',
      '/clusters',
      '/listeners',
      '/server_info',
    ]) {
      const { status, body } = await admin.get(path);
      expect(status, path).toBe(200);
      texts.push(body);
    }
    texts.push(...descendants(gateway.pid).map(({ command }) => command));
    expect(found(all(), texts.join('\n'))).toEqual([]);
  });

  it('at the provider (only the proxy keys)', () => {
    const received = provider.requests.map(({ method, path, query, headers, body }) =>
      [method, path, query, JSON.stringify(headers), body.toString('latin1')].join('\n'),
    );
    const text = received.join('\n');
    expect(received.length).toBeGreaterThan(SUCCESSES.length);
    expect(found(providerKeys, text).length).toBeGreaterThan(SUCCESSES.length);
    expect(found(proxyKeys, text)).toEqual([]);
  });
}
