import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { sourcesDigest } from '../../../../policies/engine/sources.ts';
import { onceItWorks } from '../../../../src/policy/rego/engine-thread.ts';

const FOLDER = join(import.meta.dirname, '../../../../policies/engine');
const read = (name: string): Buffer => readFileSync(join(FOLDER, name));
const sums = read('SHA256SUMS').toString();
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

it('the committed engine matches its checksums, and was built from the sources beside it', () => {
  expect(sums).toContain(`${sha256(brotliDecompressSync(read('engine.wasm.br')))}  engine.wasm\n`);
  expect(sums).toContain(`${sha256(read('wasm_exec.js'))}  wasm_exec.js\n`);
  expect(sums, 'node policies/engine/build.ts builds it anew').toContain(`# sources ${sourcesDigest()}\n`);
});

it('tries again after a failure, and keeps a success', async () => {
  let attempts = 0;
  const made = onceItWorks(async () => {
    attempts++;
    await Promise.resolve();
    if (attempts === 1) throw new Error('no such file');
    return { attempts };
  });
  await expect(Promise.all([made(), made()])).rejects.toThrow('no such file');
  expect(attempts).toBe(1);
  const [first, second] = await Promise.all([made(), made()]);
  expect(first).toEqual({ attempts: 2 });
  expect(second).toBe(first);
  expect(await made()).toBe(first);
});
