import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { loadLivePolicies } from '../../../src/policy/live-policies.ts';

const SLOW_TO_COMPILE = `a := ${'[x | x := '.repeat(40)}1${']'.repeat(40)}`;
/** Many times the pause between two looks at the files. */
const WATCHED_MS = 1_500;
const PATIENCE = { timeout: 20_000 };

it(
  'keeps the last good set, and does not repeatedly compile what the engine cannot',
  { timeout: 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gw-test-policies-'));
    const put = (text: string): Promise<void> =>
      writeFile(join(folder, 'p.rego'), `package gateway.policy\n${text}\n`);
    await put('deny contains "x" if input.x');
    const broken: unknown[] = [];
    const loaded: string[] = [];
    const policies = await loadLivePolicies({
      sources: { file: undefined, folder, presets: [] },
      engine: { evaluationMs: 1_000, graceMs: 1_000, startMs: 5_000, maxWaiting: 10, waitMs: 10_000 },
      onLoaded: (digest) => loaded.push(digest),
      onBroken: (cause) => broken.push(cause),
    });
    await put(SLOW_TO_COMPILE);
    await vi.waitFor(() => expect(String(broken)).toMatch(/more than 5 s to compile.*p\.rego/u), {
      timeout: 30_000,
    });
    let engines = 0;
    const count = (): void => void engines++;
    process.on('worker', count);
    await pause(WATCHED_MS);
    expect(engines).toBe(0);
    expect(loaded).toHaveLength(1);

    await put('deny contains "y" if input.y');
    await vi.waitFor(() => expect(loaded).toHaveLength(2), { timeout: 30_000 });
    expect(policies.current().digest).toBe(loaded[1]);
    expect(engines).toBe(1);
    process.off('worker', count);
    await policies.close();
    await rm(folder, { recursive: true });
  },
);

it('reports when broken files are corrected: by another set, or by the one in effect', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gw-test-policies-'));
  const put = (text: string): Promise<void> =>
    writeFile(join(folder, 'p.rego'), `package gateway.policy\n${text}\n`);
  const good = 'deny contains "x" if input.x';
  await put(good);
  const told: string[] = [];
  const policies = await loadLivePolicies({
    sources: { file: undefined, folder, presets: [] },
    engine: { evaluationMs: 1_000, graceMs: 1_000, startMs: 5_000, maxWaiting: 10, waitMs: 10_000 },
    onLoaded: () => told.push('loaded'),
    onBroken: () => told.push('broken'),
  });
  await put('deny contains');
  await vi.waitFor(() => expect(told).toEqual(['loaded', 'broken']), PATIENCE);
  await pause(WATCHED_MS);
  expect(told).toEqual(['loaded', 'broken']);
  await put(good);
  await vi.waitFor(() => expect(told).toEqual(['loaded', 'broken', 'loaded']), PATIENCE);
  await put('deny contains');
  await vi.waitFor(() => expect(told.slice(3)).toEqual(['broken']), PATIENCE);
  await put('deny contains "y" if input.y');
  await vi.waitFor(() => expect(told.slice(3)).toEqual(['broken', 'loaded']), PATIENCE);
  await policies.close();
  await rm(folder, { recursive: true });
}, 60_000);
