import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';

import { defaultConfig, loadConfig } from '../../../src/config/load.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { servableProblems } from '../../../src/config/servable.ts';
import { ENVOY_VERSION } from '../../../src/runtime/envoy-binary.ts';

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
const compose = z
  .looseObject({
    services: z.strictObject({ envoy: service, gateway: service, redis: service }),
    volumes: z.record(z.string(), z.unknown()),
    networks: z.record(z.string(), z.unknown()),
  })
  .parse(parse(read('docker-compose.yml'), { merge: true }));
const { envoy, gateway, redis } = compose.services;
const { config, sources } = loadConfig({
  path: join(root, 'envoy/compose.gateway.yaml'),
  env: { REDIS_PASSWORD: 'a password' },
});

describe('docker-compose.yml', () => {
  it("runs the tested Envoy with the configuration that compose's gateway.yaml renders to", () => {
    expect(envoy.image).toBe(`envoyproxy/envoy:v${ENVOY_VERSION}`);
    expect(envoy.volumes).toContain('./envoy/envoy.yaml:/etc/envoy/envoy.yaml:ro');
    const rendered = execFileSync(
      process.execPath,
      [
        join(root, 'cli/main.ts'),
        ...['--config', 'envoy/compose.gateway.yaml', 'envoy', 'render'],
        ...['--ca-file', '/etc/ssl/certs/ca-certificates.crt'],
      ],
      { cwd: root, env: { REDIS_PASSWORD: 'a password' }, encoding: 'utf8' },
    );
    expect(read('envoy/envoy.yaml'), 'render it anew: see envoy/README.md').toBe(rendered);
  });

  it('serves a configuration that may be served', () => {
    // Its certificate is on the host that runs it; anything else would be a fault of the file.
    const problems = servableProblems(config, sources).filter(({ path }) => !path.startsWith('server.tls.'));
    expect(problems).toEqual([]);
    for (const one of [envoy, gateway]) expect(one.volumes.join(' ')).toContain(':/etc/gateway/tls:ro');
    expect(config.envoy.managed).toBe(false);
    expect(config.server.insecure_dev).toBe(false);
  });

  it('lets Envoy and the sidecar meet on a private socket of one user', () => {
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

  it('runs a Redis 7 that neither evicts nor forgets', () => {
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

  it('asks each service for its health', () => {
    for (const one of [envoy, gateway, redis]) expect(one.healthcheck.test.length).toBeGreaterThan(1);
  });
});

describe('the Dockerfile', () => {
  it('builds on Node 24 and runs without development dependencies', () => {
    const dockerfile = read('Dockerfile');
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toHaveLength(2);
    for (const base of bases) expect(base).toMatch(/^node:24-.*slim$/);
    expect(dockerfile).toMatch(/npm prune --omit=dev/);
  });
});

describe('the mesh example', () => {
  const [configMap, deployment] = parseAllDocuments(read('envoy/mesh/gateway.yaml')).map(
    (document): unknown => document.toJS(),
  );

  it('has a gateway.yaml that is valid, over TCP with mutual TLS', () => {
    const { data } = z.object({ data: z.object({ 'gateway.yaml': z.string() }) }).parse(configMap);
    const settings = parse(data['gateway.yaml']) as ConfigInput;
    const mesh = defaultConfig({ ...settings, redis: { ...settings.redis, password: 'x' } });
    expect(mesh.envoy.managed).toBe(false);
    expect(mesh.server.extproc.address).toBe('127.0.0.1:9100');
    expect(Object.values(mesh.server.extproc.tls).every((file) => file !== undefined)).toBe(true);
  });

  it('ends the sidecar after Envoy, and gives the drain its time', () => {
    const text = JSON.stringify(deployment);
    expect(text).toContain(`envoyproxy/envoy:v${ENVOY_VERSION}`);
    expect(text).toContain('"terminationGracePeriodSeconds":60');
    expect(text).toContain('"runAsNonRoot":true');
    expect(text).not.toContain('SERVER_INSECURE_DEV');
  });
});
