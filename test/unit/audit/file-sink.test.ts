import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFileSink } from '../../../src/audit/file-sink.ts';

let folder = '';
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'gw-test-audit-'))));
afterAll(() => rm(folder, { recursive: true }));

describe('the audit file', () => {
  it('is accessible only to its owner, and is appended to', async () => {
    const path = join(folder, 'a.jsonl');
    for (const line of ['1', '2']) {
      const sink = await openFileSink(path);
      await sink.write([line]);
      await sink.close();
    }
    expect(await readFile(path, 'utf8')).toBe('1\n2\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is reopened after it was moved away or removed', async () => {
    const path = join(folder, 'b.jsonl');
    let now = 0;
    const sink = await openFileSink(path, () => now);
    await sink.write(['before']);
    await rename(path, `${path}.1`);
    await sink.write(['at once']);
    now += 1_000;
    await sink.write(['after']);
    await rm(path);
    now += 1_000;
    await sink.write(['again']);
    await sink.close();
    expect(await readFile(`${path}.1`, 'utf8')).toBe('before\nat once\n');
    expect(await readFile(path, 'utf8')).toBe('again\n');
  });

  it('keeps lines whole if several processes append', async () => {
    const path = join(folder, 'c.jsonl');
    const sinks = await Promise.all([openFileSink(path), openFileSink(path)]);
    const lines = Array.from({ length: 50 }, () => 'x'.repeat(20_000));
    await Promise.all(sinks.map((sink) => sink.write(lines)));
    await Promise.all(sinks.map((sink) => sink.close()));
    const read = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(read).toHaveLength(100);
    expect(new Set(read.map((line) => line.length))).toEqual(new Set([20_000]));
  });
});
