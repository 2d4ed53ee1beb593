import { AxeBuilder } from '@axe-core/playwright';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';

import type { ConfigInput } from '../../../src/config/schema.ts';
import { createPagePassword } from '../../../src/operator/sign-in/password-store.ts';
import { startChromium } from '../../support/chromium.ts';
import type { TestGateway, TestKey } from '../../support/gateway.ts';
import { send, type Reply } from '../../support/http.ts';
import { startPolicyRig, type PolicyRig } from '../../support/policy-rig.ts';
import { freePort } from '../../support/ports.ts';

const PASSWORD = 'correct horse battery staple';
/** Runs a script if a page shows it as HTML; valid as a label. */
export const HOSTILE = '<img src=x onerror=alert(1)>';
const POLICY = `package gateway.policy

escalate contains "a dear model ${HOSTILE}" if input.request.model == "gpt-4-dear"
escalate contains "say is dangerous" if input.request.tool_name == "echo"
`;
const FIRST_DESCRIPTION = 'Reads.';
let description = FIRST_DESCRIPTION;

/** Changes the definition of the tool `mutable`, as a server may between two lists. */
export function changeTool(next: string): void {
  description = next;
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** A gateway with the operator's page, its upstreams, and a browser. */
export interface PageRig {
  readonly policy: PolicyRig;
  readonly gateway: TestGateway;
  readonly browser: Browser;
  /** `http://localhost:PORT`. */
  readonly url: string;
  /** Opens the page in a new window, signed in. */
  open(place?: string, options?: Parameters<Browser['newContext']>[0]): Promise<Opened>;
  close(): Promise<void>;
}

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors in the console, uncaught errors, and dialogs, which only injected scripts open. */
  readonly trouble: string[];
  /** Opens a view of the page and waits for its data. */
  go(place: string): Promise<void>;
  close(): Promise<void>;
}

export async function startPageRig(more: ConfigInput = {}): Promise<PageRig> {
  description = FIRST_DESCRIPTION;
  const policy = await startPolicyRig({
    files: { 'a.rego': POLICY },
    register: (server) => {
      server.registerTool('mutable', { description }, () => ({ content: [] }));
    },
  });
  const port = await freePort();
  const gateway = await policy.start(
    { presets: ['safety'] },
    {
      ui: { enabled: true, port },
      audit: { enabled: true, stdout: false },
      otel: { enabled: true, protocol: 'stdout', viewer_url: 'https://traces.example/{trace_id}' },
      spend: { enabled: true },
      budgets: [{ name: 'team-search', match: { owners: ['search'] }, daily: 10 }],
      zsp: {
        escalation_enabled: true,
        escalation_secret: 'the secret of all approvers',
        escalation_timeout: '30s',
        escalation_arguments: true,
      },
      pricing: { overrides: { 'gpt-4-dear': { input: 1, output: 1 } } },
      ...more,
    },
  );
  await createPagePassword({ client: policy.redis.client, deadlineMs: 5_000 }).set(PASSWORD);
  const browser = await startChromium();
  const url = `http://localhost:${String(port)}`;
  return {
    policy,
    gateway,
    browser,
    url,
    open: async (place = '', options = {}) => {
      const opened = await openPage(browser, url, options);
      await signIn(opened.page);
      // Chromium logs the 401 that led to the sign-in.
      opened.trouble.splice(0);
      await opened.go(place);
      return opened;
    },
    close: async () => {
      await browser.close();
      await policy.close();
    },
  };
}

export async function openPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Opened> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const trouble: string[] = [];
  page.on('pageerror', (error) => trouble.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') trouble.push(message.text());
  });
  page.on('dialog', (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return {
    page,
    context,
    trouble,
    go: async (place) => {
      await page.goto(`${url}/#/${place}`);
      await page.locator('main h1').waitFor();
      await page.locator('body:not(:has(.loading))').waitFor();
    },
    close: () => context.close(),
  };
}

export async function signIn(page: Page, password = PASSWORD): Promise<void> {
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.frame').waitFor();
}

/** Expects no finding of axe: WCAG 2.2 AA and its best practices. */
export async function expectAccessible(page: Page): Promise<void> {
  await expectNoFinding(new AxeBuilder({ page }).withTags(RULES));
}

/** Expects readable contrast for every text; the other rules do not depend on colours. */
export async function expectContrast(page: Page): Promise<void> {
  await expectNoFinding(new AxeBuilder({ page }).withRules(['color-contrast']));
}

async function expectNoFinding(axe: AxeBuilder): Promise<void> {
  const { violations } = await axe.setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

/** Fills in the dialog of a change and confirms it. */
export async function confirm(page: Page, verb: string, reason = 'a test'): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason, for the audit trail').fill(reason);
  await dialog.getByRole('button', { name: verb, exact: true }).click();
}

export function chat(
  gateway: TestGateway,
  { rawKey }: TestKey,
  body: object = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return send(gateway.baseUrl, {
    path: '/openai/v1/chat/completions',
    body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], ...body }),
    headers: {
      authorization: `Bearer ${rawKey}`,
      'x-gateway-provider-key': 'sk-provider-0123456789',
      'content-type': 'application/json',
      ...headers,
    },
  });
}

/** Uses the tools of `/mcp/whole` with the official client, in a new session. */
export async function withTools<T>(
  gateway: TestGateway,
  { rawKey }: TestKey,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${rawKey}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.baseUrl}/mcp/whole`), {
    requestInit,
  });
  await client.connect(transport as Transport);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
