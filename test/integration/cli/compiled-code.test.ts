import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { pruneCompiledCode } from '../../../cli/prune-compiled-code.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');

const MIB = 1_048_576;

let directory: string;
const running: ChildProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gw-test-compiled-'));
});
afterEach(async () => {
  for (const child of running.splice(0)) child.kill();
  await rm(directory, { recursive: true, force: true });
});

/** A command that runs on, like a gateway, and prunes at once. */
function goingOn(cacheHome: string): ChildProcess {
  const { PATH, HOME } = process.env;
  const script = `import { keepCompiledCode } from ${JSON.stringify(join(MAIN, '..', 'compiled-code.ts'))};
await keepCompiledCode(process.env, 0);
setInterval(() => {}, 1_000);`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { PATH, HOME, XDG_CACHE_HOME: cacheHome },
    stdio: 'inherit',
  });
}

async function sizeOf(compiled: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(compiled, { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      sum += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size;
  return sum;
}

async function keysHelp(cacheHome: string): Promise<string> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, XDG_CACHE_HOME: cacheHome };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, 'keys', '--help'], { env });
  return stdout + stderr;
}

describe('compiled code', () => {
  it('is kept for the next start, in our folder of the cache', async () => {
    expect(await keysHelp(directory)).toContain('Usage: gateway keys');
    const [version] = await readdir(join(directory, 'ai-firewall-gateway', 'compiled'));
    expect(version).toContain(process.version);
    const files = await readdir(join(directory, 'ai-firewall-gateway', 'compiled', String(version)));
    expect(files.length).toBeGreaterThan(10);
  });

  it('is not kept in a folder that others can write', async () => {
    const cache = join(directory, 'ai-firewall-gateway');
    await mkdir(cache);
    await chmod(cache, 0o777);
    expect(await keysHelp(directory)).toContain('Usage: gateway keys');
    expect(await readdir(cache)).toEqual([]);
  });

  it('of earlier builds is removed once it takes too much space, also by two simultaneous processes', async () => {
    const compiled = join(directory, 'ai-firewall-gateway', 'compiled');
    const [earlier, other] = [
      join(compiled, 'v24.0.0-x64-aaaaaaaa-0'),
      join(compiled, 'v22.18.0-x64-bbbbbbbb-0'),
    ];
    for (const folder of [earlier, other]) {
      await mkdir(folder, { recursive: true });
      for (let nth = 0; nth < 10; nth += 1) {
        const file = join(folder, `0000000${String(nth)}`);
        await writeFile(file, '');
        await truncate(file, 4 * MIB);
        // The newest one is in use.
        const day = folder === other ? 1 : 10 + nth;
        await utimes(file, new Date(2026, 0, day), new Date(2026, 0, day));
      }
    }
    const ours = join(directory, 'ai-firewall-gateway', 'other');
    await writeFile(ours, '');
    running.push(goingOn(directory), goingOn(directory));
    await expect.poll(() => sizeOf(compiled), { timeout: 20_000 }).toBeLessThanOrEqual(32 * MIB);
    // Least recently used.
    expect(await readdir(earlier)).toContain('00000009');
    expect(await readdir(compiled)).not.toContain('v22.18.0-x64-bbbbbbbb-0');
    expect((await stat(ours)).isFile()).toBe(true);
  });

  it('of a few builds is kept', async () => {
    const folder = join(directory, 'ai-firewall-gateway', 'compiled', 'v24.0.0-x64-aaaaaaaa-0');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '00000001'), '');
    await truncate(join(folder, '00000001'), 40 * MIB);
    await pruneCompiledCode(join(folder, '..'));
    expect(await readdir(folder)).toEqual(['00000001']);
  });

  it('is optional: commands work if it cannot be kept', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    expect(await keysHelp(file)).toContain('Usage: gateway keys');
  });
});
