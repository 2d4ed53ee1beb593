import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startDemoProvider } from '../../src/demo/provider.ts';
import { startGateway } from '../support/gateway.ts';

const root = join(import.meta.dirname, '..', '..');
const execute = promisify(execFile);

/** What `npm install ai-firewall-gateway` gives: compiled files under node_modules, where Node runs no TypeScript. */
describe('the published package', () => {
  let directory: string;
  let home: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gw-test-pack-'));
    home = join(directory, 'node_modules', 'ai-firewall-gateway');
    await mkdir(home, { recursive: true });
    await execute('npm', ['pack', '--pack-destination', directory], { cwd: root });
    const [tarball = ''] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'));
    await execute('tar', ['-xzf', join(directory, tarball), '-C', home, '--strip-components', '1']);
    await linkDependencies();
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  /** Its production dependencies and nothing else, taken from the checkout. */
  async function linkDependencies(): Promise<void> {
    const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const name of Object.keys(manifest.dependencies)) {
      const link = join(directory, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(root, 'node_modules', name), link);
    }
  }

  it('serves a request, with its scripts and protos where they belong', async () => {
    const provider = await startDemoProvider(0);
    const gateway = await startGateway({
      entry: join(home, 'dist', 'cli', 'main.js'),
      config: { providers: { openai: { base_url: provider.baseUrl } } },
    });
    try {
      const { rawKey } = await gateway.createKey({}, { daily: 1 });
      const answer = await fetch(`${gateway.baseUrl}/openai/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${rawKey}`,
          'x-gateway-provider-key': 'sk-test',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello!' }] }),
      });
      expect(await answer.text()).toContain('You said: Hello!');
      expect(answer.status).toBe(200);
    } finally {
      expect(await gateway.stop()).toBe(0);
      await provider.close();
    }
  });

  it('holds no test and no TypeScript source', async () => {
    const files = await readdir(home, { recursive: true });
    expect(files.filter((file) => /^(test|src|cli)\//.test(file))).toEqual([]);
    expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([]);
  });
});
