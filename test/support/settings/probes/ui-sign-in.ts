import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOidcPage, type OidcPage } from '../../operator/oidc-page.ts';
import { startTestPage } from '../../operator/page.ts';
import { OIDC_CLIENT } from '../../oidc-server.ts';
import type { Probes, See } from '../probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'gw-test-secrets-'));
const RIGHT = join(folder, 'right');
const WRONG = join(folder, 'wrong');
writeFileSync(RIGHT, OIDC_CLIENT.secret);
writeFileSync(WRONG, 'another secret');

const ROLES = { 'gateway-admins': 'admin', leads: 'owner', watchers: 'viewer' } as const;
const OIDC = { client_id: OIDC_CLIENT.id, client_secret_file: RIGHT, roles: ROLES, owner_claim: 'team' };
const WITH_OIDC = { ui: { enabled: true, oidc: { ...OIDC, issuer: 'http://127.0.0.1:1' } } } as const;

/** Observes the page with a provider that acts as the configured issuer. */
function atProvider(observe: (page: OidcPage) => Promise<unknown>): See {
  return async ({ config, redis }) => {
    const { issuer: _issuer, ...oidc } = config.ui.oidc;
    const page = await startOidcPage(redis, { ...oidc, scopes: [...oidc.scopes] });
    try {
      return await observe(page);
    } finally {
      await page.close();
    }
  };
}

const asksFor = (parameter: string): See =>
  atProvider(async ({ begin }) => (await begin()).location.searchParams.get(parameter));

const signsInAs = (person: string): See =>
  atProvider(async ({ signIn, me }) => {
    const answer = await signIn(person);
    if (answer.status !== 303) return answer.status;
    const { role, owner } = await me(answer);
    return [role, owner];
  });

const HEADERS = { 'x-user': 'ada', 'x-groups': 'operator' };
const WITH_PROXY = { ui: { enabled: true, proxy_auth: { header: 'X-User', from: ['127.0.0.1'] } } };

/** Reports the role of a request with the headers of a proxy, or its status. */
const roleByProxy: See = async ({ config, redis }) => {
  const { from, ...headers } = config.ui.proxy_auth;
  const page = await startTestPage(redis, { ui: { proxy_auth: { ...headers, from: [...from] } } });
  try {
    const me = await page.ask('/api/me', { headers: HEADERS });
    return me.status === 200 ? me.json()['role'] : me.status;
  } finally {
    await page.close();
  }
};

export const uiSignInProbes: Probes = {
  'ui.oidc.issuer': {
    with: { ui: { oidc: OIDC } },
    values: [undefined, 'http://127.0.0.1:1'],
    see: async ({ config, redis }) => {
      const { scopes, ...oidc } = config.ui.oidc;
      const page = await startTestPage(redis, { ui: { oidc: { ...oidc, scopes: [...scopes] } } });
      try {
        return (await page.ask('/api/sign-in')).json();
      } finally {
        await page.close();
      }
    },
    expected: [{ kinds: ['password'] }, { kinds: ['oidc', 'password'] }],
  },
  'ui.oidc.client_id': {
    with: WITH_OIDC,
    values: ['one', 'two'],
    see: asksFor('client_id'),
    expected: ['one', 'two'],
  },
  'ui.oidc.client_secret_file': {
    with: WITH_OIDC,
    values: [RIGHT, WRONG],
    see: signsInAs('ada'),
    expected: [['admin', null], 401],
  },
  'ui.oidc.scopes': {
    with: WITH_OIDC,
    values: [[], ['profile', 'email']],
    see: asksFor('scope'),
    expected: ['openid', 'openid profile email'],
  },
  'ui.oidc.role_claim': {
    with: WITH_OIDC,
    values: ['groups', 'roles'],
    see: signsInAs('ada'),
    expected: [
      ['admin', null],
      ['viewer', null],
    ],
  },
  'ui.oidc.roles.*': {
    at: ['ui', 'oidc', 'roles', 'gateway-admins'],
    with: WITH_OIDC,
    values: ['approver', 'operator'],
    see: signsInAs('ada'),
    expected: [
      ['approver', null],
      ['operator', null],
    ],
  },
  'ui.oidc.owner_claim': {
    with: WITH_OIDC,
    values: ['team', 'unit'],
    see: signsInAs('bob'),
    expected: [
      ['viewer', 'search'],
      ['viewer', 'ads'],
    ],
  },
  'ui.proxy_auth.header': {
    with: WITH_PROXY,
    values: ['X-User', 'X-Other'],
    see: roleByProxy,
    expected: ['viewer', 401],
  },
  'ui.proxy_auth.from': {
    with: WITH_PROXY,
    values: [['10.0.0.0/8', '127.0.0.0/8'], ['10.0.0.0/8']],
    see: roleByProxy,
    expected: ['viewer', 401],
  },
  'ui.proxy_auth.role_header': {
    with: WITH_PROXY,
    values: [undefined, 'X-Groups'],
    see: roleByProxy,
    expected: ['viewer', 'operator'],
  },
};
