import { describe, expect, it } from 'vitest';

import type { ConfigInput } from '../../../src/config/schema.ts';
import { defaultConfig } from '../../support/default-config.ts';

type Ui = NonNullable<ConfigInput['ui']>;

const OIDC = { issuer: 'https://idp.example', client_id: 'page', roles: { admins: 'admin' } } as const;
const TLS = { cert_file: '/c.pem', key_file: '/k.pem' };

function load(ui: Ui): () => unknown {
  return () => defaultConfig({ ui: { enabled: true, ...ui } });
}

describe('the page of operators', () => {
  it('is served on loopback with a password', () => {
    for (const ui of [{}, { host: '::1' }, { public_url: 'http://localhost:9091' }, { tls: TLS }])
      expect(load(ui)).not.toThrow();
  });

  it('is served elsewhere with TLS and a sign-in at a provider or a proxy', () => {
    const elsewhere = { host: '0.0.0.0', tls: TLS, public_url: 'https://g.example' };
    expect(load({ ...elsewhere, oidc: OIDC })).not.toThrow();
    expect(load({ ...elsewhere, proxy_auth: { header: 'x-user', from: ['fd00::/8'] } })).not.toThrow();
  });

  it.each<[string, Ui, RegExp]>([
    ['off loopback without TLS', { host: '0.0.0.0', public_url: 'https://g.example' }, /ui\.host.*ui\.tls/],
    ['off loopback without a public URL', { host: '10.0.0.1', tls: TLS }, /ui\.host.*ui\.public_url/],
    [
      'off loopback with only a password',
      { host: '10.0.0.1', tls: TLS, public_url: 'https://g.example' },
      /ui\.enabled.*sign in/,
    ],
    ['behind a proxy with only a password', { public_url: 'https://g.example' }, /ui\.enabled.*sign in/],
    [
      'with an identity provider without TLS',
      { oidc: { ...OIDC, issuer: 'http://idp.example' } },
      /ui\.oidc\.issuer.*https/,
    ],
    [
      'with an identity provider and no client',
      { oidc: { ...OIDC, client_id: undefined } },
      /ui\.oidc\.client_id/,
    ],
    ['with an identity provider and no roles', { oidc: { ...OIDC, roles: {} } }, /ui\.oidc\.roles/],
    [
      'with owners and no claim for their names',
      { oidc: { ...OIDC, roles: { leads: 'owner' } } },
      /ui\.oidc\.owner_claim/,
    ],
    ['with a proxy at any address', { proxy_auth: { header: 'x-user' } }, /ui\.proxy_auth\.from/],
    ['on the port for clients', { port: 8080 }, /ui\.port/],
    ['on the admin port', { port: 9090 }, /ui\.port/],
    ['with a path in its URL', { public_url: 'http://localhost:9091/ui' }, /ui\.public_url/],
    ['with an idle time longer than the absolute one', { session: { idle: '13h' } }, /ui\.session\.idle/],
  ])('is refused %s', (_name, ui, message) => {
    expect(load(ui)).toThrow(message);
    expect(() => defaultConfig({ ui })).not.toThrow();
  });

  it('accept only addresses and networks as trusted proxies', () => {
    for (const from of ['10.0.0.0/33', 'proxy.example', '10.0.0.0/8/8', '::/129', ''])
      expect(() => defaultConfig({ ui: { proxy_auth: { from: [from] } } })).toThrow(/network/);
  });
});
