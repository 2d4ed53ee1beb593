import { describe, expect, it } from 'vitest';

import type { ConfigInput } from '../../../src/config/schema.ts';
import { defaultConfig } from '../../support/default-config.ts';

type Ui = NonNullable<ConfigInput['ui']>;

const TLS = { cert_file: '/c.pem', key_file: '/k.pem' };

function load(ui: Ui): () => unknown {
  return () => defaultConfig({ ui: { enabled: true, ...ui } });
}

describe('the page of operators', () => {
  it('is served on loopback with a password', () => {
    for (const ui of [{}, { host: '::1' }, { public_url: 'http://localhost:9091' }, { tls: TLS }])
      expect(load(ui)).not.toThrow();
  });

  it.each<[string, Ui, RegExp]>([
    ['off loopback without TLS', { host: '0.0.0.0', public_url: 'https://g.example' }, /ui\.host.*ui\.tls/],
    ['off loopback without its URL', { host: '10.0.0.1', tls: TLS }, /ui\.host.*ui\.public_url/],
    [
      'off loopback with a password alone',
      { host: '10.0.0.1', tls: TLS, public_url: 'https://g.example' },
      /ui\.enabled.*sign in/,
    ],
    ['behind a proxy with a password alone', { public_url: 'https://g.example' }, /ui\.enabled.*sign in/],
    ['on the port of clients', { port: 8080 }, /ui\.port/],
    ['on the admin port', { port: 9090 }, /ui\.port/],
    ['below a path', { public_url: 'http://localhost:9091/ui' }, /ui\.public_url/],
    ['with an idle end after the absolute one', { session: { idle: '13h' } }, /ui\.session\.idle/],
  ])('is refused %s', (_name, ui, message) => {
    expect(load(ui)).toThrow(message);
    expect(() => defaultConfig({ ui })).not.toThrow();
  });
});
