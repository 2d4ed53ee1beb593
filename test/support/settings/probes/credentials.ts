import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { messageOf } from '../../../../src/errors.ts';
import { followCredentials } from '../../../../src/provider-credentials/follow.ts';
import { openSource } from '../../../../src/provider-credentials/read-source.ts';
import { createTestCa } from '../../certs.ts';
import { startVaultServer } from '../../vault-server.ts';
import { outcome, sentHeader } from '../asking.ts';
import type { Probe, Probes, See } from '../probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'settings-credentials-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string): string => join(folder, name);
writeFileSync(file('one.key'), 'sk-one\n');
writeFileSync(file('other.key'), 'sk-other');
writeFileSync(file('once.key'), 'sk-once');
writeFileSync(file('print'), '#!/bin/sh\necho "sk-$1"\n');
writeFileSync(
  file('tick'),
  `#!/bin/sh\nprintf x >> ${file('ticks')}\nprintf sk-%s "$(cat ${file('ticks')})"\n`,
);
for (const program of ['print', 'tick']) chmodSync(file(program), 0o700);

const main = (from: object): object => ({ credentials: { main: { provider: 'openai', from } } });
const at = (...rest: string[]): string[] => ['credentials', 'main', ...rest];
const withMain = { key: { credentials: ['main'] } };
/** Observes the key in the request to the provider. */
const asksWith = sentHeader('authorization', withMain);

/** Observes the value after this time in the life of the sources, whose file is removed at the start. */
function valueAfter(passedMs: number): See {
  return async ({ config }) => {
    writeFileSync(file('once.key'), 'sk-once');
    rmSync(file('ticks'), { force: true });
    let now = 1_000_000;
    const changes: unknown[] = [];
    const followed = await followCredentials({
      credentials: config.credentials,
      environment: {},
      onChanged: (values) => changes.push(values['main']),
      onSource: () => undefined,
      onEnded: () => undefined,
      everyMs: 5,
      now: () => now,
    });
    rmSync(file('once.key'));
    now += passedMs;
    await new Promise((resolve) => setTimeout(resolve, 300));
    followed.close();
    return followed.values()['main'];
  };
}

const pod = 'eyJhbGciOiJSUzI1NiJ9.of-a-pod.signature';
const ca = await createTestCa();
const otherCa = await createTestCa();
process.once('exit', () => {
  ca.close();
  otherCa.close();
});
const secure = await startVaultServer({ jwt: pod, tls: await ca.issue('vault', ['localhost']) });
const plain = await startVaultServer({ jwt: pod });
for (const [server, name] of [
  [secure, 'secure'],
  [plain, 'plain'],
] as const) {
  server.secrets.set('secret/one', { key: `${name}-one`, other: `${name}-other` });
  server.secrets.set('secret/two', { key: `${name}-two` });
  server.tokens.set('hvs.probe', Infinity);
}
for (const [name, text] of Object.entries({
  jwt: pod,
  'other.jwt': 'eyJ.no',
  token: 'hvs.probe',
  'other.token': 'x',
}))
  writeFileSync(file(name), text);

const VAULT = { address: plain.address, path: 'secret/one', field: 'key' };
const BY_ROLE = { ...VAULT, role: 'gateway', jwt_file: file('jwt') };
/** Returns the credential from Vault, or the reason for its absence. */
const fromVault: See = async ({ config }) => {
  const from = config.credentials['main']?.from;
  if (from === undefined) return undefined;
  return openSource(from, {})
    .then((source) => source.read())
    .then(({ value }) => value, messageOf);
};
/** Observes which cloud issues no credential without a pod's token. */
const fromCloud: See = async ({ config }) => {
  const from = config.credentials['main']?.from;
  const pod = { AZURE_FEDERATED_TOKEN_FILE: file('none'), AWS_WEB_IDENTITY_TOKEN_FILE: file('none') };
  if (from === undefined) return undefined;
  const source = await openSource(from, { ...pod, AWS_ROLE_ARN: 'arn:aws:iam::1:role/probe' });
  return source.read().then(({ value }) => value, messageOf);
};
function vaultProbe(key: string, own: object, values: Probe['values'], expected: Probe['expected']): Probes {
  const settings = { at: at('from', 'vault', key), with: main({ vault: own }) };
  return { [`credentials.*.from.vault.${key}`]: { ...settings, values, see: fromVault, expected } };
}
const refusedTo = (who: string): unknown => expect.stringContaining(`Vault denies ${who} access`);
const BY_FILE = { ...VAULT, token_file: file('token') };

export const credentialProbes: Probes = {
  'proxy.shared_objects': {
    with: main({ file: file('one.key') }),
    values: [[], ['resp_*']],
    see: outcome({
      ...withMain,
      path: '/openai/v1/responses',
      body: { model: 'gpt-4o', input: 'x', previous_response_id: 'resp_1' },
    }),
    expected: ['404 not_found', 200],
  },
  ...vaultProbe(
    'address',
    BY_ROLE,
    [plain.address, secure.address],
    ['plain-one', expect.stringContaining('cannot be reached')],
  ),
  ...vaultProbe('path', BY_ROLE, ['secret/one', 'secret/two'], ['plain-one', 'plain-two']),
  ...vaultProbe('field', BY_ROLE, ['key', 'other'], ['plain-one', 'plain-other']),
  ...vaultProbe('role', BY_ROLE, ['gateway', 'guest'], ['plain-one', refusedTo('the role guest')]),
  ...vaultProbe('mount', BY_ROLE, ['kubernetes', 'jwt'], ['plain-one', refusedTo('the role gateway')]),
  ...vaultProbe(
    'jwt_file',
    BY_ROLE,
    [file('jwt'), file('other.jwt')],
    ['plain-one', refusedTo('the role gateway')],
  ),
  ...vaultProbe(
    'token_file',
    BY_FILE,
    [file('token'), file('other.token')],
    ['plain-one', refusedTo('the token')],
  ),
  ...vaultProbe(
    'ca_file',
    { ...BY_ROLE, address: secure.address },
    [ca.caFile, otherCa.caFile],
    ['secure-one', expect.stringContaining('cannot be reached')],
  ),
  'credentials.*.from.workload_identity': {
    at: at(),
    with: {},
    values: [
      { provider: 'azure', from: { workload_identity: 'azure' } },
      { provider: 'bedrock', from: { workload_identity: 'aws' } },
    ],
    see: fromCloud,
    expected: [
      expect.stringContaining('identity of azure provides no credential'),
      expect.stringContaining('identity of aws provides no credential'),
    ],
  },
  'credentials.*.provider': {
    at: at('provider'),
    with: main({ env: 'PROBE_KEY' }),
    values: ['openai', 'groq'],
    see: asksWith,
    expected: ['Bearer sk-probe', 'Bearer sk-provider-0123456789'],
  },
  'credentials.*.from.env': {
    at: at('from', 'env'),
    with: main({}),
    values: ['PROBE_KEY', 'OTHER_PROBE_KEY'],
    see: asksWith,
    expected: ['Bearer sk-probe', 'Bearer sk-other-probe'],
  },
  'credentials.*.from.file': {
    at: at('from', 'file'),
    with: main({}),
    values: [file('one.key'), file('other.key')],
    see: asksWith,
    expected: ['Bearer sk-one', 'Bearer sk-other'],
  },
  'credentials.*.from.command': {
    at: at('from', 'command'),
    with: main({}),
    values: [
      [file('print'), 'one'],
      [file('print'), 'other'],
    ],
    see: asksWith,
    expected: ['Bearer sk-one', 'Bearer sk-other'],
  },
  'credentials.*.from.ttl': {
    at: at('from', 'ttl'),
    with: main({ command: [file('tick')] }),
    values: ['1m', '1h'],
    see: valueAfter(120_000),
    expected: ['sk-xx', 'sk-x'],
  },
  'credentials.*.max_age': {
    at: at('max_age'),
    with: main({ file: file('once.key') }),
    values: ['1m', '1h'],
    see: valueAfter(120_000),
    expected: [undefined, 'sk-once'],
  },
  'proxy.client_keys': {
    values: ['allow', 'deny'],
    see: outcome({}),
    expected: [200, '400 invalid_request'],
  },
};
