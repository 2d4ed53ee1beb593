import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gw-test-compiled-'));
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

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

  it('is not kept where others can write', async () => {
    const cache = join(directory, 'ai-firewall-gateway');
    await mkdir(cache);
    await chmod(cache, 0o777);
    expect(await keysHelp(directory)).toContain('Usage: gateway keys');
    expect(await readdir(cache)).toEqual([]);
  });

  it('is done without where nothing can be kept', async () => {
    const file = join(directory, 'file');
    await writeFile(file, '');
    expect(await keysHelp(file)).toContain('Usage: gateway keys');
  });
});
