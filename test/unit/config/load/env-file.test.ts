import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { loadConfig } from '../../../../src/config/load.ts';

describe('the .env beside the configuration', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gw-env-'));
    writeFileSync(join(folder, 'gateway.yaml'), 'redis: { addr: "r:6379", password: "${SECRET}" }\n');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function load(env: Readonly<Record<string, string>> = {}) {
    return loadConfig({ path: join(folder, 'gateway.yaml'), env }).config;
  }

  it('fills variables and overrides keys', () => {
    writeFileSync(join(folder, '.env'), 'SECRET=from-file\nexport LOG_LEVEL="warn"\n');
    const { redis, server } = load();
    expect([redis.password, server.log_level]).toEqual(['from-file', 'warn']);
  });

  it.each(['true', 'yes'])('never lifts TLS (SERVER_INSECURE_DEV=%s)', (value) => {
    writeFileSync(join(folder, '.env'), `SECRET=from-file\nexport SERVER_INSECURE_DEV=${value}\n`);
    expect(load().server.insecure_dev).toBe(false);
    expect(load({ SERVER_INSECURE_DEV: 'true' }).server.insecure_dev).toBe(true);
  });

  it('gives way to the environment', () => {
    writeFileSync(join(folder, '.env'), 'SECRET=from-file\n');
    expect(load({ SECRET: 'set' }).redis.password).toBe('set');
  });

  it('is not needed', () => {
    expect(load({ SECRET: 'set' }).redis.password).toBe('set');
    expect(() => load()).toThrow(/SECRET/);
  });
});
