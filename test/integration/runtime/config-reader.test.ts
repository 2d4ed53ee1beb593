import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { loadConfig } from '../../../src/config/load.ts';
import { preflightProblems } from '../../../src/config/preflight.ts';
import { ConfigError } from '../../../src/config/problems.ts';
import { envoyBootstrap } from '../../../src/envoy/render.ts';
import { startConfigReader, type ConfigReader } from '../../../src/runtime/config-reader.ts';

const LAYOUT = {
  sidecars: [{ kind: 'unix', path: '/run/worker-0.sock' }],
  adminSocketPath: '/run/admin.sock',
  systemCaFile: '/etc/ssl/certs/ca-certificates.crt',
  accessLogPath: '/dev/stdout',
} as const;
const PLAIN = { SERVER_INSECURE_DEV: 'true' };

describe('the process that reads the configuration', () => {
  let directory: string;
  let path: string;
  let reader: ConfigReader;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gw-test-reader-'));
    path = join(directory, 'gateway.yaml');
    reader = startConfigReader();
  });
  afterEach(async () => {
    reader.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('returns the same as reading it here, and its Envoy configuration', async () => {
    await writeFile(path, 'server:\n  port: ${PORT}\n');
    const environment = { ...PLAIN, PORT: '8443' };
    const { config } = loadConfig({ path, env: environment });
    expect(await reader.readConfig(path, environment)).toEqual(config);
    const json = JSON.stringify(envoyBootstrap(config, LAYOUT));
    expect(await reader.renderEnvoy(LAYOUT)).toBe(json);
  });

  it('refuses an invalid configuration, with every reason', async () => {
    await writeFile(path, 'server:\n  port: 0x\n  prt: 1\n');
    const refused = await reader.readConfig(path, PLAIN).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect(refused).toMatchObject({ message: faultOf(() => loadConfig({ path, env: PLAIN })) });
  });

  it('refuses a configuration that is valid but cannot be served', async () => {
    await writeFile(path, 'redis:\n  tls:\n    ca_file: /nowhere.pem\n');
    const { config, sources } = loadConfig({ path, env: {} });
    const problems = preflightProblems(config, sources);
    expect(problems.map((problem) => problem.path)).toEqual(['server.tls', 'redis.tls.ca_file']);
    await expect(reader.readConfig(path, {})).rejects.toMatchObject({ problems });
  });

  it('fails requests that it cannot answer', async () => {
    await expect(reader.renderEnvoy(LAYOUT)).rejects.toThrow('no configuration has been read');
    const asked = reader.readConfig(path, PLAIN);
    reader.close();
    await expect(asked).rejects.toThrow('ended without an answer');
    await expect(reader.readConfig(path, PLAIN)).rejects.toThrow('ended without an answer');
  });
});

function faultOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
}
