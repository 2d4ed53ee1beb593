import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { pageFolder, type PageFile } from '../../src/operator/static-files.ts';
import { startChromium } from '../support/chromium.ts';

const MAX_COMPRESSED_BYTES = 150_000;

describe('the built page', () => {
  let folder: string;
  let files: readonly PageFile[];
  beforeAll(async () => {
    folder = await pageFolder();
    files = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as PageFile[];
  });

  it('takes less than 150 KB compressed', async () => {
    const sizes = await Promise.all(
      files.map(async ({ file }) => gzipSync(await readFile(join(folder, file))).byteLength),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_COMPRESSED_BYTES);
  });

  it('lists every file with a type, and has a compressed copy of each', async () => {
    expect(files.map(({ path }) => path.replace(/-[0-9a-f]{12}\./, '-DIGEST.'))).toEqual([
      '/',
      '/assets/page-DIGEST.js',
      '/assets/page-DIGEST.css',
      '/assets/icon-DIGEST.svg',
    ]);
    for (const { file } of files) {
      const [plain, compressed] = await Promise.all([
        readFile(join(folder, file)),
        readFile(join(folder, `${file}.br`)),
      ]);
      expect(brotliDecompressSync(compressed).equals(plain)).toBe(true);
    }
  });

  it('names no other origin in its script and style', async () => {
    const texts = await Promise.all(files.map(({ file }) => readFile(join(folder, file), 'utf8')));
    const places = texts.join('\n').match(/https?:\/\/[\w.-]+/g) ?? [];
    // Names of XML languages, which are never fetched.
    expect(places.filter((place) => place !== 'http://www.w3.org')).toEqual([]);
    expect(texts.join('\n')).not.toMatch(/@import|url\(/);
  });

  describe('in Chromium', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startChromium();
    });
    afterAll(async () => {
      await browser.close();
    });

    it('runs under a policy without inline scripts and styles', async () => {
      const page = await browser.newPage();
      const trouble: string[] = [];
      page.on('pageerror', (error) => trouble.push(error.message));
      page.on('console', (message) => {
        if (message.text().includes('Content Security Policy')) trouble.push(message.text());
      });
      await page.route('**/*', async (route) => {
        const { pathname } = new URL(route.request().url());
        const found = files.find(({ path }) => path === pathname);
        if (found === undefined) return route.abort();
        const headers = {
          'content-security-policy':
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
        };
        return route.fulfill({ path: join(folder, found.file), contentType: found.type, headers });
      });
      await page.goto('http://localhost/');
      await expect.poll(() => page.textContent('[role=alert]')).toBe('The gateway does not answer.');
      expect(trouble).toEqual([]);
      await page.close();
    });
  });
});
