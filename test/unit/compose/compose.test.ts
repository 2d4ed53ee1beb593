import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

import { envoyConfiguration } from '../../../build-docs.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { preflightProblems } from '../../../src/config/preflight.ts';
import { ENVOY_VERSION } from '../../../src/runtime/envoy-binary.ts';
import { send } from '../../support/http.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const service = z.looseObject({
  image: z.string().optional(),
  user: z.string().optional(),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  networks: z.array(z.string()),
  healthcheck: z.looseObject({ test: z.array(z.string()) }),
  stop_grace_period: z.string().regex(/^\d+s$/),
  cap_drop: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
  command: z.array(z.string()).optional(),
});
/** Services that are run by hand, once. */
const tool = z.looseObject({
  image: z.string(),
  profiles: z.array(z.string()).min(1),
  entrypoint: z.array(z.string()),
  volumes: z.array(z.string()),
  network_mode: z.string(),
  cap_drop: z.array(z.string()),
});
const compose = z
  .looseObject({
    services: z.strictObject({ envoy: service, gateway: service, redis: service, certificate: tool }),
    volumes: z.record(z.string(), z.unknown()),
    networks: z.record(z.string(), z.unknown()),
  })
  .parse(parse(read('docker-compose.yml'), { merge: true }));
const { envoy, gateway, redis, certificate } = compose.services;
const { config, sources } = loadConfig({
  path: join(root, 'envoy/compose.gateway.yaml'),
  env: { REDIS_PASSWORD: 'a password' },
});

describe('docker-compose.yml', () => {
  it("runs the tested Envoy with the configuration that compose's gateway.yaml renders to", async () => {
    expect(envoy.image).toBe(`envoyproxy/envoy:v${ENVOY_VERSION}`);
    expect(envoy.volumes).toContain('./envoy/envoy.yaml:/etc/envoy/envoy.yaml:ro');
    expect(envoy.volumes).toContain('./envoy/sds:/etc/envoy/sds:ro');
    const sds = await mkdtemp(join(tmpdir(), 'gw-test-sds-'));
    expect(read('envoy/envoy.yaml'), 'run `npm run docs`').toBe(envoyConfiguration(sds));
    for (const folder of ['envoy/sds', 'deploy/istio/sds'])
      expect(read(`${folder}/server.tls.json`)).toBe(readFileSync(join(sds, 'server.tls.json'), 'utf8'));
    await rm(sds, { recursive: true });
  });

  it('serves a configuration that may be served', () => {
    // Its certificate is on the host that runs it; anything else would be a fault of the file.
    const problems = preflightProblems(config, sources).filter(({ path }) => !path.startsWith('server.tls.'));
    expect(problems).toEqual([]);
    for (const one of [envoy, gateway]) expect(one.volumes.join(' ')).toContain(':/etc/gateway/tls:ro');
    expect(config.envoy.managed).toBe(false);
    expect(config.server.insecure_dev).toBe(false);
  });

  it('lets Envoy and the sidecar connect over a private socket of one user', () => {
    expect(envoy.user).toBe(gateway.user);
    expect(gateway.user).toMatch(/^[1-9]/);
    expect(read('Dockerfile')).toContain(`USER ${gateway.user ?? ''}`);
    for (const one of [envoy, gateway]) expect(one.volumes).toContain('sockets:/run/gateway');
    const uid = gateway.user?.split(':')[0] ?? '';
    expect(JSON.stringify(compose.volumes['sockets'])).toContain(`uid=${uid},gid=${uid},mode=0700`);
    expect(config.server.extproc.address).toBe('unix:/run/gateway/extproc.sock');
  });

  it('keeps Redis to itself: no published port, no way out, a password from the environment', () => {
    expect(redis.ports).toEqual([]);
    expect(redis.networks).toEqual(['inside']);
    expect(compose.networks['inside']).toEqual({ internal: true });
    expect(envoy.networks).not.toContain('inside');
    expect(redis.environment['REDIS_PASSWORD']).toMatch(/^\$\{REDIS_PASSWORD:\?/);
    expect(gateway.environment['REDIS_PASSWORD']).toMatch(/^\$\{REDIS_PASSWORD:\?/);
    expect(read('.env.example')).toMatch(/^REDIS_PASSWORD=$/m);
  });

  it('runs a Redis 7 that neither evicts nor loses data', () => {
    expect(redis.image).toMatch(/^redis:7/);
    const command = redis.command?.join(' ') ?? '';
    expect(command).toContain('--appendonly yes');
    expect(command).toContain('--maxmemory-policy noeviction');
    expect(redis.volumes).toEqual(['redis-data:/data']);
  });

  it('publishes the admin listener on loopback only', () => {
    expect(gateway.ports).toEqual(['127.0.0.1:9090:9090']);
  });

  it('gives the drain its time', () => {
    const drainSeconds = config.server.drain_timeout / 1000;
    for (const one of [envoy, gateway]) {
      expect(Number.parseInt(one.stop_grace_period, 10)).toBeGreaterThan(drainSeconds + 5);
    }
    expect(Number(envoy.environment['DRAIN_SECONDS'])).toBe(drainSeconds);
  });

  it('runs nothing of ours as root, with capabilities or on a writable image', () => {
    for (const one of [envoy, gateway]) {
      expect(one.cap_drop).toEqual(['ALL']);
      expect(one.read_only).toBe(true);
    }
  });

  it('checks the health of each service', () => {
    for (const one of [envoy, gateway, redis]) expect(one.healthcheck.test.length).toBeGreaterThan(1);
  });
});

describe('the certificate for development', () => {
  const [shell, script = '', folder = ''] = certificate.entrypoint;

  it('is written where Envoy and the sidecar read it, by a tool that `up` does not start', () => {
    expect(certificate.image).toBe(envoy.image);
    expect([certificate.network_mode, certificate.cap_drop]).toEqual(['none', ['ALL']]);
    const mounts = certificate.volumes.map((volume) => volume.replace(/:ro$/, ''));
    const [, mounted] = envoy.volumes.find((volume) => volume.includes('/tls'))?.match(/^(.*):ro$/) ?? [];
    expect(mounts).toContain(mounted);
    expect(mounted?.endsWith(`:${folder}`)).toBe(true);
    expect(config.server.tls).toEqual({ cert_file: `${folder}/tls.crt`, key_file: `${folder}/tls.key` });
    expect(mounts).toContain(`./envoy/make-certificate.sh:${script}`);
    expect(mounted).toMatch(/^\$\{TLS_DIRECTORY:-\.\/tls\}/);
    // A private key, and a password, belong into no repository.
    expect(read('.gitignore')).toMatch(/^tls\/$/m);
    expect(read('.gitignore')).toMatch(/^\.env$/m);
  });

  it('is one that a client of localhost takes, and is not written over', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gw-test-certificate-'));
    try {
      const target = join(directory, 'tls');
      const run = (): Buffer =>
        execFileSync(shell ?? '', [join(root, 'envoy/make-certificate.sh'), target], { stdio: 'pipe' });
      run();
      const [cert, key] = ['tls.crt', 'tls.key'].map((name) => readFileSync(join(target, name), 'utf8'));
      if (cert === undefined || key === undefined) throw new Error('nothing was written');
      expect(statSync(join(target, 'tls.key')).mode & 0o777).toBe(0o600);
      expect(statSync(join(target, 'tls.crt')).mode & 0o777).toBe(0o644);
      const server = createServer({ cert, key }, (_request, response) => response.end('served'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const { body } = await send(`https://127.0.0.1:${String(port)}`, { ca: cert });
      server.close();
      expect(body).toBe('served');
      run();
      expect(readFileSync(join(target, 'tls.crt'), 'utf8')).toBe(cert);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe('the Dockerfile', () => {
  it('is given everything that the build reads', () => {
    const given = read('.dockerignore').match(/(?<=^!).+/gm) ?? [];
    expect(given.toSorted()).toEqual([
      'build-ascii.ts',
      'build-once.ts',
      'build-page.ts',
      'build-sbom.ts',
      'build.ts',
      'cli',
      'models/injection/weights.bin',
      'package-lock.json',
      'package.json',
      'page',
      'policies',
      'src',
      'tsconfig.json',
    ]);
  });

  it('builds on Node 24, pinned by digest, and runs without development dependencies', () => {
    const dockerfile = read('Dockerfile');
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toHaveLength(2);
    expect(new Set(bases).size).toBe(1);
    for (const base of bases) expect(base).toMatch(/^node:24-.*slim@sha256:[0-9a-f]{64}$/);
    expect(dockerfile).toContain('ln -s /app/dist/cli/main.js /usr/local/bin/gateway');
    // Its dependencies are bundled.
    expect(dockerfile).not.toContain('node_modules');
  });
});
