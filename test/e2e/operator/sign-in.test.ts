import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { expectAccessible, openPage, signIn, startPageRig, type PageRig } from './rig.ts';

describe("the operator's page: signing in", () => {
  let rig: PageRig;
  beforeAll(async () => {
    rig = await startPageRig();
  });
  afterAll(() => rig.close());

  it('asks for the password, and reports a wrong one', async () => {
    const { page, trouble, close } = await openPage(rig.browser, rig.url);
    await page.getByLabel('Password').fill('not the password at all');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('the password is wrong');
    await signIn(page);
    await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
    // The refusals of /api/me and of the wrong password; Chromium logs each 401.
    expect(trouble.filter((line) => !line.includes('401'))).toEqual([]);
    await close();
  });

  it('keeps the session in a cookie that scripts cannot read, also on localhost', async () => {
    const { context, page, close } = await rig.open();
    const [cookie, ...others] = await context.cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({
      name: '__Host-gateway-session',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
    });
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.reload();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    await close();
  });

  it('accepts the cookie at 127.0.0.1 too', async () => {
    const { page, close } = await openPage(rig.browser, rig.url.replace('localhost', '127.0.0.1'));
    await signIn(page);
    await page.reload();
    await page.locator('.frame').waitFor();
    await close();
  });

  it('signs out in every tab', async () => {
    const { context, page, close } = await rig.open('keys');
    const other = await context.newPage();
    await other.goto(`${rig.url}/#/money`);
    await other.getByRole('heading', { name: 'Money', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to the gateway' }).waitFor();
    await other.getByRole('link', { name: 'Sessions' }).click();
    await other.getByText('Your session has ended. Sign in again.').waitFor();
    await close();
  });

  it('remembers the chosen colours', async () => {
    const { page, close } = await rig.open('', { colorScheme: 'light' });
    const ground = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await page.getByLabel('Theme').selectOption('dark');
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('navigation', { name: 'Views' }).waitFor();
    expect(await ground()).toBe(dark);
    await page.getByLabel('Theme').selectOption('system');
    expect(await ground()).toBe(light);
    await close();
  });

  it('works by keyboard alone, also on a narrow screen', async () => {
    const { page, close } = await rig.open('', { viewport: { width: 360, height: 700 } });
    await page.reload();
    await page.getByRole('heading', { name: 'Now', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Live decisions', level: 1 }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Live decisions');
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(isWide).toBe(false);
    await close();
  });
});
