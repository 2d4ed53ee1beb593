import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { filledIn, readSnippet, readSnippets } from '../../../support/clients/snippets.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const pages = (await readdir(join(ROOT, 'docs/clients'))).filter((name) => name !== 'README.md');

describe('the pages of clients', () => {
  it.each(pages)(
    '%s is in the index, and its blocks are run by a test, or it says that they were tested manually',
    async (page) => {
      expect(await readFile(join(ROOT, 'docs/clients/README.md'), 'utf8')).toContain(`(${page})`);
      const folder = join(ROOT, 'test/clients');
      if ((await readSnippets(page)).length === 0) return;
      const tests = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
      const sources = await Promise.all(tests.map((name) => readFile(join(folder, name), 'utf8')));
      const isRun = sources.some((source) => source.includes(`'${page}'`));
      const text = await readFile(join(ROOT, 'docs/clients', page), 'utf8');
      const isManual = /Tested manually with [^\n]*`npm run clients` does not run it/.test(text);
      expect({ isRun, isManual }).toEqual({ isRun: !isManual, isManual });
    },
  );

  it('give a block by heading and language, with the address of a gateway filled in', async () => {
    const snippet = await readSnippet('openai.md', 'Python', 'python');
    expect(filledIn(snippet, 'http://127.0.0.1:1')).toContain('base_url="http://127.0.0.1:1/openai/v1"');
    await expect(readSnippet('openai.md', 'Python', 'cobol')).rejects.toThrow('0 blocks of cobol');
  });
});
