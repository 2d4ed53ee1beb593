import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PolicyFilesError } from '../../../src/policy/policy-files-error.ts';
import { readPolicyFiles, stampOf } from '../../../src/policy/policy-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gw-policy-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

const inFolder = () => ({ file: undefined, folder, presets: [] });
const put = (name: string, text: string | Buffer): Promise<void> => writeFile(join(folder, name), text);

describe('the policy files of a folder', () => {
  it('are its .rego files in order, without tests, hidden files and subfolders', async () => {
    await mkdir(join(folder, 'examples'));
    for (const name of ['b.rego', 'a.rego', 'a_test.rego', '.a.rego', 'c.txt', 'examples/x.rego']) {
      await put(name, `package gateway.policy # ${name}`);
    }
    const { rego } = await readPolicyFiles(inFolder());
    expect(rego.map(({ name }) => name)).toEqual([join(folder, 'a.rego'), join(folder, 'b.rego')]);
  });

  it('have a digest over names and texts', async () => {
    await put('a.rego', 'package a');
    const first = await readPolicyFiles(inFolder());
    expect(first.digest).toMatch(/^sha256:[0-9a-f]{64}$/u);
    await put('a.rego', 'package b');
    const second = await readPolicyFiles(inFolder());
    await rename(join(folder, 'a.rego'), join(folder, 'b.rego'));
    const third = await readPolicyFiles(inFolder());
    expect(new Set([first.digest, second.digest, third.digest]).size).toBe(3);
  });

  it.each<[string, () => Promise<void>]>([
    ['one is not UTF-8', () => put('a.rego', Buffer.from([0xff, 0xfe, 0x00]))],
    ['one is too large', () => put('a.rego', 'a'.repeat(1_048_577))],
    ['one is a folder', async () => void (await mkdir(join(folder, 'a.rego')))],
    ['one is a broken link', () => symlink('/nowhere/at/all', join(folder, 'a.rego'))],
  ])('are refused by name if %s', async (_, prepare) => {
    await prepare();
    const refused = readPolicyFiles(inFolder());
    await expect(refused).rejects.toBeInstanceOf(PolicyFilesError);
    await expect(refused).rejects.toThrow(folder);
  });

  it('have a stamp that changes when a ConfigMap mount swaps its link', async () => {
    for (const version of ['1', '2']) {
      await mkdir(join(folder, `v${version}`));
      await put(`v${version}/a.rego`, `package v${version}`);
    }
    await symlink('v1', join(folder, '..data'));
    await symlink('..data/a.rego', join(folder, 'a.rego'));
    const before = await stampOf(inFolder());
    expect(await stampOf(inFolder())).toBe(before);
    await symlink('v2', join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    expect(await stampOf(inFolder())).not.toBe(before);
    expect((await readPolicyFiles(inFolder())).rego[0]?.text).toBe('package v2');
  });
});
