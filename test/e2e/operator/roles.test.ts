import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { createKeyStore } from '../../../src/auth/key-store.ts';
import { createRedisPinStore } from '../../../src/checks/mcp-inspector/redis-store.ts';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';
import { createRedisEscalationStore } from '../../../src/escalation/redis-store.ts';
import { pageFolder } from '../../../src/operator/static-files.ts';
import { startChromium } from '../../support/chromium.ts';
import { newEscalation } from '../../support/new-escalation.ts';
import { startOidcPage, type OidcPage } from '../../support/operator/oidc-page.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

const ROLES = ['viewer', 'approver', 'operator', 'admin'] as const;
type Role = (typeof ROLES)[number];
const PEOPLE: Readonly<Record<Role, string>> = {
  viewer: 'vera',
  approver: 'alex',
  operator: 'oona',
  admin: 'ada',
};

/** Buttons of changes in each view, and the lowest role that sees them. */
const OFFERED: Readonly<Record<string, readonly (readonly [button: string, role: Role])[]>> = {
  keys: [['Create a key', 'admin']],
  'keys/planner': [
    ['Lock', 'operator'],
    ['Reset risk', 'operator'],
    ['Set budget', 'operator'],
    ['Rotate', 'admin'],
    ['Revoke', 'admin'],
  ],
  approvals: [
    ['Approve', 'approver'],
    ['Deny', 'approver'],
  ],
  risk: [
    ['Lock planner', 'operator'],
    ['Reset the risk of planner', 'operator'],
  ],
  'sessions/run-1?key=planner': [['End the session', 'operator']],
  mcp: [['Accept this definition', 'operator']],
  tokens: [['Create a token', 'admin']],
};

interface Described {
  readonly method: string;
  readonly path: string;
  readonly role: Role;
}

describe('each role in the browser', () => {
  let redis: TestRedis;
  let oidc: OidcPage;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    redis = await startTestRedis();
    const place = { client: redis.client, deadlineMs: 5_000 };
    const keys = createKeyStore(redis.client);
    const { record } = await keys.create({ name: 'planner', provider: 'openai', owner: 'search' });
    await keys.create({ name: 'coder', provider: 'openai', owner: 'ads' });
    await createRedisEscalationStore(place).open(newEscalation({ key_hash: record.keyHash }), {
      waitMs: 600_000,
      maxPending: 10,
      maxPendingPerKey: 10,
    });
    await createRedisSessionStore({ ...place, ttlMs: 600_000, maxPerKey: 0 }).open({
      keyHash: record.keyHash,
      sessionId: 'run-1',
      operationId: crypto.randomUUID(),
      maxSteps: 5,
      budgetNanoUsd: undefined,
    });
    const pins = createRedisPinStore(place);
    for (const letter of ['a', 'b']) await pins.show('maps', [{ name: 'route', digest: letter.repeat(64) }]);
    oidc = await startOidcPage(redis, { role_claim: 'groups' }, await pageFolder(), {
      mcp: { enabled: true, servers: [{ name: 'maps', url: 'https://maps.example/mcp' }] },
      zsp: { escalation_enabled: true, escalation_secret: 'x'.repeat(32) },
      audit: { enabled: true, stdout: false },
    });
    browser = await startChromium();
    url = `http://localhost:${String(oidc.page.port)}`;
  });
  afterAll(async () => {
    await browser.close();
    await oidc.close();
    await redis.close();
  });

  async function signIn(person: string): Promise<{ page: Page; context: BrowserContext }> {
    oidc.provider.person = person;
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(url);
    await page.getByRole('link', { name: 'Sign in with your organization' }).click();
    await page.locator('.frame').waitFor();
    return { page, context };
  }

  async function go(page: Page, place: string): Promise<void> {
    await page.goto(`${url}/#/${place}`);
    await page.locator('main h1').waitFor();
    await page.locator('body:not(:has(.loading))').waitFor();
  }

  it.each(ROLES)('%s sees the changes of the role, and no others', async (role) => {
    const { page, context } = await signIn(PEOPLE[role]);
    for (const [place, buttons] of Object.entries(OFFERED)) {
      await go(page, place);
      for (const [name, lowest] of buttons) {
        const isOffered = ROLES.indexOf(role) >= ROLES.indexOf(lowest);
        const found = page.locator('main').getByRole('button', { name, exact: true });
        if (isOffered) await found.first().waitFor();
        expect([place, name, (await found.count()) > 0]).toEqual([place, name, isOffered]);
      }
    }
    const navigation = page.getByRole('navigation', { name: 'Views' });
    expect(await navigation.getByRole('link', { name: 'API tokens' }).count()).toBe(role === 'admin' ? 1 : 0);
    await context.close();
  });

  it.each(ROLES.slice(0, -1))('%s gets 403 for every other change, and nothing changes', async (role) => {
    const { page, context } = await signIn(PEOPLE[role]);
    const before = await redis.client.call('DEBUG', 'DIGEST');
    const forbidden = (await described(page)).filter(
      (one) => one.method !== 'GET' && ROLES.indexOf(one.role) > ROLES.indexOf(role),
    );
    expect(forbidden.length).toBeGreaterThan(4);
    const statuses = await page.evaluate(askAll, forbidden);
    expect(statuses).toEqual(forbidden.map(({ method, path }) => [method, path, 403]));
    expect(await redis.client.call('DEBUG', 'DIGEST')).toEqual(before);
    await context.close();
  });

  it('an owner starts at their keys, sees no others, and is offered no change', async () => {
    const { page, context } = await signIn('bob');
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    const rows = page.getByRole('table').locator('tbody tr');
    await rows.getByText('planner').waitFor();
    expect(await rows.count()).toBe(1);
    const views = await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allTextContents();
    for (const view of ['Now', 'MCP', 'Policies', 'API tokens']) expect(views).not.toContain(view);
    await go(page, 'keys/coder');
    await page.getByRole('alert').getByText('no key has "coder"').waitFor();
    for (const [place, buttons] of Object.entries(OFFERED)) {
      await go(page, place);
      for (const [name] of buttons)
        expect(await page.locator('main').getByRole('button', { name, exact: true }).count()).toBe(0);
    }
    await context.close();
  });
});

/** Returns every route, as the page itself describes them. */
function described(page: Page): Promise<readonly Described[]> {
  return page.evaluate(async () => {
    const { paths } = (await (await fetch('/api/openapi.json')).json()) as {
      paths: Record<string, Record<string, { 'x-role'?: Role }>>;
    };
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { 'x-role': role }]) =>
        role === undefined ? [] : [{ method: method.toUpperCase(), path, role }],
      ),
    );
  });
}

/** Runs in the browser: sends each change as its page would, with the session's cookie and CSRF token. */
async function askAll(changes: readonly Described[]): Promise<(string | number)[][]> {
  const { csrf_token: csrf } = (await (await fetch('/api/me')).json()) as { csrf_token: string };
  const answers: (string | number)[][] = [];
  for (const { method, path } of changes) {
    const answer = await fetch(path.replaceAll(/\{\w+\}/g, 'planner'), {
      method,
      headers: { 'content-type': 'application/json', 'x-csrf-token': csrf },
      body: JSON.stringify({ reason: 'because' }),
    });
    answers.push([method, path, answer.status]);
  }
  return answers;
}
