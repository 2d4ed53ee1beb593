import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { followSignIn, OIDC_CLIENT, startOidcServer, type OidcServer } from '../oidc-server.ts';
import { freePort } from '../ports.ts';
import type { TestRedis } from '../redis.ts';
import { startTestPage, type PageAnswer, type TestPage } from './page.ts';

type OidcInput = NonNullable<NonNullable<ConfigInput['ui']>['oidc']>;

/** The operator's page beside a real OpenID provider. */
export interface OidcPage {
  readonly page: TestPage;
  readonly provider: OidcServer;
  /** Starts a sign-in; returns the page's redirect and its cookie. */
  begin(): Promise<{ readonly location: URL; readonly cookie: string; readonly answer: PageAnswer }>;
  /** Signs in at the provider; returns its redirect for the browser that has this cookie. */
  comeBack(person: string): Promise<{ readonly callback: URL; readonly cookie: string }>;
  /** Signs in as a browser does; returns the page's answer to the callback. */
  signIn(person: string): Promise<PageAnswer>;
  /** The person of the session in this answer. */
  me(signedIn: PageAnswer): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

const PEOPLE = {
  ada: { preferred_username: 'ada@example.com', groups: ['gateway-admins'], roles: ['watchers'] },
  vera: { groups: ['watchers'] },
  alex: { groups: ['on-call'] },
  oona: { groups: ['gateway-operators'] },
  bob: { preferred_username: 'bob', groups: ['leads'], team: 'search', unit: 'ads' },
};

/** @param built as in `startTestPage` */
export async function startOidcPage(
  redis: TestRedis,
  oidc: OidcInput = {},
  built?: string,
  more: Omit<ConfigInput, 'ui'> = {},
): Promise<OidcPage> {
  const port = await freePort();
  const callbackAt = (host: string) => `http://${host}:${String(port)}/api/sign-in/oidc/callback`;
  const redirectUri = callbackAt('127.0.0.1');
  const redirectUris = [redirectUri, callbackAt('localhost')];
  const provider = await startOidcServer({ redirectUris, people: PEOPLE });
  const folder = mkdtempSync(join(tmpdir(), 'gw-test-oidc-'));
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, `${OIDC_CLIENT.secret}\n`);
  const ui = {
    port,
    oidc: {
      client_id: OIDC_CLIENT.id,
      client_secret_file: secretFile,
      roles: {
        'gateway-admins': 'admin',
        leads: 'owner',
        watchers: 'viewer',
        'on-call': 'approver',
        'gateway-operators': 'operator',
      } as const,
      owner_claim: 'team',
      ...oidc,
      issuer: provider.issuer,
    },
  };
  const page = await startTestPage(redis, { ...more, ui }, built);

  async function begin() {
    const answer = await page.ask('/api/sign-in/oidc');
    const [cookie = ''] = answer.headers['set-cookie']?.[0]?.split(';') ?? [];
    return { location: new URL(String(answer.headers.location)), cookie, answer };
  }

  async function comeBack(person: string) {
    provider.person = person;
    const { location, cookie } = await begin();
    return { callback: await followSignIn(location, redirectUri), cookie };
  }

  return {
    page,
    provider,
    begin,
    comeBack,
    async signIn(person) {
      const { callback, cookie } = await comeBack(person);
      return page.ask(callback.pathname + callback.search, { headers: { cookie } });
    },
    async me(signedIn) {
      const [cookie = ''] = signedIn.headers['set-cookie']?.[0]?.split(';') ?? [];
      return (await page.ask('/api/me', { headers: { cookie } })).json();
    },
    async close() {
      await page.close();
      await provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}
