import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { startDemoProvider } from '../../src/demo/provider.ts';
import { startGateway } from '../support/gateway.ts';

const root = join(import.meta.dirname, '..', '..');
const execute = promisify(execFile);

/**
 * What `npm install ai-firewall-gateway` gives: files that need nothing beside them under node_modules, where Node runs
 * no TypeScript.
 */
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
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  it('needs no other package, and has the notices of those that are in it', async () => {
    const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
    const notices = await readFile(join(home, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    expect(notices).toMatch(/^ioredis \d+\.\d+\.\d+, MIT$/m);
    expect(notices).toContain('Permission is hereby granted, free of charge');
    expect(notices).toMatch(/^gpt-tokenizer /m);
    expect(notices).not.toMatch(/^(vitest|typescript|rolldown) /m);
  });

  it('serves a request, with its scripts and words where they belong', async () => {
    const provider = await startDemoProvider(0);
    const gateway = await startGateway({
      entry: join(home, 'dist', 'cli', 'main.js'),
      env: { NODE_COMPILE_CACHE: join(directory, 'compiled') },
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
