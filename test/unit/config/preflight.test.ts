import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig, NO_FILE } from '../../../src/config/load.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { preflight, preflightProblems } from '../../../src/config/preflight.ts';
import { createTestCa, type Identity, type TestCa } from '../../support/certs.ts';

/** A file that is there. */
const HERE = import.meta.filename;
const insecure = { SERVER_INSECURE_DEV: 'true' };

function problems(argvOverrides: ConfigInput, env: Record<string, string> = insecure): string[] {
  const { config, sources } = loadConfig({ path: NO_FILE, env, argvOverrides });
  return preflightProblems(config, sources).map(({ path }) => path);
}

let ca: TestCa;
let pair: Identity;
let other: Identity;
beforeAll(async () => {
  ca = await createTestCa();
  [pair, other] = [await ca.issue('pair'), await ca.issue('other')];
});
afterAll(() => ca.close());

describe('a configuration to serve', () => {
  it('needs TLS, unless it is insecure on purpose', () => {
    expect(problems({}, {})).toEqual(['server.tls']);
    expect(problems({}, insecure)).toEqual([]);
    expect(problems({ server: { tls: { cert_file: pair.certFile, key_file: pair.keyFile } } }, {})).toEqual(
      [],
    );
  });

  it('needs every certificate file that it names', () => {
    expect(
      problems({
        server: { tls: { cert_file: '/nowhere/cert.pem', key_file: pair.keyFile } },
        redis: { tls: { enabled: true, ca_file: '/nowhere/ca.pem' } },
        providers: { azure: { ca_file: '/nowhere/ca.pem' }, openai: { ca_file: ca.caFile } },
      }),
    ).toEqual(['server.tls.cert_file', 'redis.tls.ca_file', 'providers.azure.ca_file']);
  });

  it('needs PEM, and a key that belongs to its certificate', () => {
    const torn = `${pair.certFile}.torn`;
    writeFileSync(torn, pair.cert.replace('MII', 'XXX'));
    function tls(cert_file: string, key_file: string): string[] {
      const { config, sources } = loadConfig({
        path: NO_FILE,
        env: {},
        argvOverrides: { server: { tls: { cert_file, key_file } } },
      });
      return preflightProblems(config, sources).map(({ path, message }) => `${path} ${message}`);
    }
    expect(tls(pair.certFile, pair.keyFile)).toEqual([]);
    expect(tls(pair.certFile, other.keyFile)).toEqual([
      'server.tls.key_file is not the key of the first certificate in cert_file',
    ]);
    expect(tls(HERE, pair.keyFile)).toEqual([
      'server.tls.cert_file is not PEM: the file contains no certificate',
    ]);
    expect(tls(torn, pair.keyFile)).toEqual([
      'server.tls.cert_file contains a certificate that cannot be parsed',
    ]);
    expect(tls(pair.certFile, HERE)).toEqual([
      'server.tls.key_file is not PEM: the file contains no private key, or one with a passphrase',
    ]);
    expect(problems({ providers: { openai: { ca_file: HERE } } })).toEqual(['providers.openai.ca_file']);
  });

  it('needs a key that can sign', () => {
    const signed = (type: 'hmac' | 'ed25519'): string[] =>
      problems({ signature: { enabled: true, type, secret: 'no key' } });
    expect([signed('hmac'), signed('ed25519')]).toEqual([[], ['signature.secret']]);
  });

  it('needs the policies that it names', () => {
    const named = (policy: ConfigInput['policy']): string[] =>
      problems({ policy: { enabled: true, ...policy } });
    expect(named({ policy_file: './no/cards.yaml' })).toEqual(['policy.policy_file']);
    expect(named({ policy_dir: './no/policies' })).toEqual(['policy.policy_dir']);
    expect(named({ policy_file: HERE, policy_dir: import.meta.dirname, presets: ['safety'] })).toEqual([]);
    expect(named({})).toEqual([]);
    expect(problems({ policy: { enabled: false, policy_file: './no/cards.yaml' } })).toEqual([]);
  });

  it('is refused with every reason', () => {
    const { config, sources } = loadConfig({
      path: NO_FILE,
      env: {},
      argvOverrides: { providers: { azure: { ca_file: '/nowhere/ca.pem' } } },
    });
    expect(() => {
      preflight(config, sources);
    }).toThrow(/server\.tls: .*\n.*providers\.azure\.ca_file: names a file/);
  });
});
