import { describe, expect, it } from 'vitest';
import { loadConfig, NO_FILE } from '../../../src/config/load.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { preflight, preflightProblems } from '../../../src/config/preflight.ts';

/** A file that is there. */
const HERE = import.meta.filename;
const insecure = { SERVER_INSECURE_DEV: 'true' };

function problems(argvOverrides: ConfigInput, env: Record<string, string> = insecure): string[] {
  const { config, sources } = loadConfig({ path: NO_FILE, env, argvOverrides });
  return preflightProblems(config, sources).map(({ path }) => path);
}

describe('what may be served', () => {
  it('needs TLS, unless it is insecure on purpose', () => {
    expect(problems({}, {})).toEqual(['server.tls']);
    expect(problems({}, insecure)).toEqual([]);
    expect(problems({ server: { tls: { cert_file: HERE, key_file: HERE } } }, {})).toEqual([]);
  });

  it('needs every certificate file that it names', () => {
    expect(
      problems({
        server: { tls: { cert_file: '/nowhere/cert.pem', key_file: HERE } },
        redis: { tls: { enabled: true, ca_file: '/nowhere/ca.pem' } },
        providers: { azure: { ca_file: '/nowhere/ca.pem' }, openai: { ca_file: HERE } },
      }),
    ).toEqual(['server.tls.cert_file', 'redis.tls.ca_file', 'providers.azure.ca_file']);
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
