import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pageFolder } from '../../../src/operator/static-files.ts';
import { startChromium } from '../../support/chromium.ts';
import { startOidcPage, type OidcPage } from '../../support/operator/oidc-page.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

const SIGN_IN = { name: 'Sign in with your organization' };

/** The provider is at 127.0.0.1 and the page at localhost: two sites for a browser. */
describe('a browser that signs in at an OpenID provider', () => {
  let redis: TestRedis;
  let oidc: OidcPage;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let url: string;
  let trouble: string[];

  beforeAll(async () => {
    redis = await startTestRedis();
    oidc = await startOidcPage(redis, { role_claim: 'groups' }, await pageFolder());
    browser = await startChromium();
    url = `http://localhost:${String(oidc.page.port)}`;
  });
  afterAll(async () => {
    await browser.close();
    await oidc.close();
    await redis.close();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
    trouble = [];
    page.on('pageerror', (error) => trouble.push(error.message));
    page.on('console', (message) => {
      // Chromium logs the 401 of the first request to /api/me.
      if (message.type() === 'error' && !message.text().includes('401')) trouble.push(message.text());
    });
  });
  afterEach(async () => {
    await context.close();
    await redis.flush();
  });

  async function signIn(person: string | undefined): Promise<void> {
    oidc.provider.person = person;
    await page.goto(url);
    await page.getByRole('link', SIGN_IN).click();
  }

  it('returns signed in, stays signed in, and signs out', async () => {
    await signIn('ada');
    await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
    await page.getByText('ada@example.com').first().waitFor();
    expect(new URL(page.url()).origin).toBe(url);
    const cookies = await context.cookies(url);
    expect(
      cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite })),
    ).toEqual([{ name: '__Host-gateway-session', httpOnly: true, secure: true, sameSite: 'Strict' }]);
    await page.reload();
    await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', SIGN_IN).waitFor();
    expect(trouble).toEqual([]);
  });

  it('learns who refuses, on a page that leads back', async () => {
    await signIn(undefined);
    await page.getByRole('heading', { name: 'Sign-in failed' }).waitFor();
    await page.getByText('access_denied').waitFor();
    expect(await context.cookies(url)).toEqual([]);
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByRole('link', SIGN_IN).waitFor();
    expect(trouble).toEqual([]);
  });

  it('is refused with the callback of another browser', async () => {
    const { callback } = await oidc.comeBack('ada');
    await page.goto(callback.href);
    await page.getByText('did not begin in this browser').waitFor();
    expect(await context.cookies(callback.href)).toEqual([]);
  });
});
