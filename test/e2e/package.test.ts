import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
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
 * The content of `npm install ai-firewall-gateway`: files that need nothing beside them under node_modules, where Node
 * runs no TypeScript.
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

  it('needs no other package, and has the notices of bundled ones', async () => {
    const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as object;
    expect(manifest).not.toHaveProperty('dependencies');
    const notices = await readFile(join(home, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    expect(notices).toMatch(/^ioredis \d+\.\d+\.\d+, MIT$/m);
    expect(notices).toContain('Permission is hereby granted, free of charge');
    expect(notices).toMatch(/^gpt-tokenizer /m);
    expect(notices).not.toMatch(/^(vitest|typescript|rolldown) /m);
  });

  it('lists its bundled packages as CycloneDX: every dependency, and no other', async () => {
    const sbom = JSON.parse(await readFile(join(home, 'dist', 'sbom.cdx.json'), 'utf8')) as {
      readonly bomFormat: string;
      readonly metadata: { readonly component: { readonly purl: string } };
      readonly components: readonly { readonly name: string; readonly version: string }[];
    };
    const { version, dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      version: string;
      dependencies: object;
    };
    expect([sbom.bomFormat, sbom.metadata.component.purl]).toEqual([
      'CycloneDX',
      `pkg:npm/ai-firewall-gateway@${version}`,
    ]);
    const names = sbom.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    const notices = await readFile(join(home, 'dist', 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const one of sbom.components) expect(notices).toContain(`\n${one.name} ${one.version}, `);
    expect(new Set(names).size).toBe(new Set(notices.match(/^-{72}\n\S+ /gm)).size);
  });

  it('states its origin, with the digest of each file', async () => {
    const statement = JSON.parse(await readFile(join(home, 'dist', 'provenance.json'), 'utf8')) as {
      readonly predicateType: string;
      readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
    };
    expect(statement.predicateType).toBe('https://slsa.dev/provenance/v1');
    expect(statement.subject.map(({ name }) => name)).toContain('cli/main.js');
    for (const { name, digest } of statement.subject) {
      const bytes = await readFile(join(home, 'dist', name));
      expect([name, createHash('sha256').update(bytes).digest('hex')]).toEqual([name, digest.sha256]);
    }
  });

  it('leaves the manifest of the checkout unchanged', async () => {
    const read = async (folder: string) =>
      JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(await read(root)).toMatchObject({ dependencies: {}, devDependencies: {}, scripts: {} });
    expect(await read(home)).not.toHaveProperty('devDependencies');
  });

  it('installs alone, with a command on the PATH, and names its version and commit', async () => {
    const prefix = join(directory, 'prefix');
    const [tarball = ''] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'));
    const env = { ...process.env, HOME: join(directory, 'home') };
    const install = ['install', '--global', '--offline', '--prefix', prefix, join(directory, tarball)];
    await execute('npm', install, { env });
    expect(await readdir(join(prefix, 'lib', 'node_modules'))).toEqual(['ai-firewall-gateway']);
    const program = join(prefix, 'bin', 'gateway');
    const { stdout } = await execute(process.execPath, [program, '--version'], { env, cwd: directory });
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(stdout).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')} \\([0-9a-f]{12}(-dirty)?\\)\n$`));
  });

  it('names the required Node version on an older one', async () => {
    const older = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`;
    const program = join(home, 'dist', 'cli', 'main.js');
    const run = execute(process.execPath, [
      '--import',
      `data:text/javascript,${older}`,
      program,
      'keys',
      'list',
    ]);
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^gateway: needs Node 22\.15 or newer; this is Node 20\.20\.2\. Install a newer version from http.*\n$/,
      ),
    });
    // An import that an old Node cannot resolve is a SyntaxError before the first line runs.
    const imported = [...(await readFile(program, 'utf8')).matchAll(/^import .*?"([^"]+)";$/gm)];
    expect(imported.map(([, name]) => name).toSorted()).toEqual([
      '../chunks/rolldown-runtime.js',
      'node:fs',
      'node:url',
    ]);
  });

  it('serves a request, with its scripts and word lists in place', async () => {
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

  it('contains no test and no TypeScript source', async () => {
    const files = await readdir(home, { recursive: true });
    expect(files.filter((file) => /^(test|src|cli)\//.test(file))).toEqual([]);
    expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([]);
  });
});
