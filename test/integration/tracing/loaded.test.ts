import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useTestRedis } from '../../support/redis.ts';

const SCRIPT = new URL('../../support/loaded-modules.ts', import.meta.url).pathname;
const run = promisify(execFile);

const redis = useTestRedis();
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gw-test-loaded-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Returns OpenTelemetry's packages that a worker loads. */
async function loaded(otel: object): Promise<string[]> {
  const config = {
    redis: { addr: redis.addr },
    server: { dlp: { enabled: true } },
    audit: { enabled: true },
    policy: { enabled: true, presets: ['safety'] },
    alerting: { webhook_url: 'http://127.0.0.1:1/' },
    otel: { endpoint: 'http://127.0.0.1:1', ...otel },
  };
  const argv = [SCRIPT, JSON.stringify(config), join(folder, 's.sock')];
  const { stdout } = await run(process.execPath, argv, { timeout: 60_000 });
  const line = stdout.split('\n').find((written) => written.startsWith('['));
  const packages = JSON.parse(line ?? '') as string[];
  expect(packages).toContain('ioredis');
  return packages.filter((name) => name.startsWith('@opentelemetry/'));
}

describe('OpenTelemetry', () => {
  it('is not loaded while traces are disabled', async () => {
    // prom-client loads the API package, which contains no SDK.
    expect(await loaded({ enabled: false })).toEqual(['@opentelemetry/api']);
  });

  it('is loaded if they are enabled', async () => {
    expect(await loaded({ enabled: true })).toContain('@opentelemetry/sdk-node');
  });
});
