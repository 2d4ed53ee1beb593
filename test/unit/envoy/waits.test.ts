import { describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { envoyBootstrap } from '../../../src/envoy/render.ts';
import { defaultConfig } from '../../support/default-config.ts';

const LAYOUT = {
  sidecars: [{ kind: 'unix', path: '/run/0.sock' }],
  adminSocketPath: '/run/admin.sock',
  systemCaFile: '/system.pem',
  accessLogPath: '/dev/stdout',
} as const;
const POLICY = { policy: { enabled: true, policy_dir: '/policies' } } as const;
const JWT = { zsp: { enabled: true, jwks_url: 'https://j.test', issuer: 'i', audience: 'a' } } as const;
const APPROVALS = { escalation_enabled: true, escalation_secret: 'x'.repeat(32) } as const;

/** Every value under this name in Envoy's bootstrap. */
function rendered(input: ConfigInput, name: string): readonly unknown[] {
  const bootstrap = envoyBootstrap(defaultConfig(input, { SERVER_INSECURE_DEV: 'true' }), LAYOUT);
  const found: unknown[] = [];
  JSON.stringify(bootstrap, (key, value: unknown) => {
    if (key === name) found.push(value);
    return value;
  });
  return found;
}

/** Redis gets 2.5 s, an evaluation of policies 3 s, the keys of JWTs 3 s, and Envoy waits 5 s beyond the sum. */
describe('Envoy waits longer than the longest phase of the sidecar', () => {
  it.each<[string, ConfigInput, string]>([
    ['with only Redis', {}, '7.5s'],
    ['with a slower Redis', { redis: { read_timeout: '4s' } }, '9.5s'],
    ['with policies', POLICY, '10.5s'],
    ['with JWTs', JWT, '10.5s'],
    ['with both', { ...POLICY, ...JWT }, '13.5s'],
  ])('%s', (_, input, timeout) => {
    expect(rendered(input, 'message_timeout')).toEqual([timeout]);
    expect(rendered(input, 'max_message_timeout')).toEqual([]);
  });
});

/** Three phases follow an approval, and 5 s are left for the texts. */
describe('Envoy waits longer than an approval and the phases that follow it', () => {
  it.each<[string, ConfigInput, string]>([
    ['with only Redis', { zsp: APPROVALS }, '72.5s'],
    ['for a shorter time', { zsp: { ...APPROVALS, escalation_timeout: '10s' } }, '22.5s'],
    ['with policies and JWTs', { ...POLICY, zsp: { ...JWT.zsp, ...APPROVALS } }, '90.5s'],
  ])('%s', (_, input, timeout) => {
    expect(rendered(input, 'max_message_timeout')).toEqual([timeout]);
  });

  it('until it treats a silent request as idle', () => {
    const short: ConfigInput = { proxy: { upstream_timeout: '30s' } };
    expect(rendered(short, 'stream_idle_timeout')).toEqual(['30s']);
    expect(rendered({ ...short, zsp: APPROVALS }, 'stream_idle_timeout')).toEqual(['72.5s']);
    expect(rendered({ zsp: APPROVALS }, 'stream_idle_timeout')).toEqual(['300s']);
  });
});

describe('a client sends its headers within', () => {
  it.each([
    ['30s', '10s'],
    ['4s', '4s'],
  ])('of a server.read_timeout of %s %s', (read_timeout, expected) => {
    const input: ConfigInput = { server: { read_timeout } };
    expect(rendered(input, 'request_headers_timeout')).toEqual([expected]);
    expect(rendered(input, 'request_timeout')).toEqual([read_timeout]);
  });
});
