import { join } from 'node:path';

import { startChromium } from '../support/chromium.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const VIEWPORT = { width: 1280, height: 800 };
const PICTURES = [
  { place: 'now', shows: 'Requests per minute', colors: 'light' },
  { place: 'decisions', shows: 'policy_denied', colors: 'dark' },
  { place: 'approvals', shows: 's left', colors: 'light' },
  { place: 'money', shows: 'daily', colors: 'light' },
] as const;
const ADDRESS = /page, with sample traffic: (\S+) \(password (\S+)\)/;

/** Takes pictures of the demo's operator page. Returns their files. */
export async function takePictures(printed: string): Promise<readonly string[]> {
  const [, url = '', password = ''] = ADDRESS.exec(printed) ?? [];
  const browser = await startChromium();
  try {
    const page = await browser.newPage({ viewport: VIEWPORT, timezoneId: 'UTC' });
    await page.goto(url);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.frame').waitFor();
    const files: string[] = [];
    for (const { place, shows, colors } of PICTURES) {
      const file = join(DOCS, `operator-page-${place}.png`);
      await page.emulateMedia({ colorScheme: colors });
      await page.goto(`${url}/#/${place}`);
      await page.locator('main', { hasText: shows }).waitFor({ timeout: 120_000 });
      await page.screenshot({ path: file });
      files.push(file);
    }
    return files;
  } finally {
    await browser.close();
  }
}
