import { readFileSync, renameSync, rmSync, writeFileSync, mkdtempSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { send, type Reply } from '../support/http.ts';
import { descendants } from '../support/processes.ts';
import { runCli } from '../support/run-cli.ts';
import { found, mark } from '../support/secret-search.ts';
import { storedText } from '../support/stored-text.ts';

const CHAT = '/openai/v1/chat/completions';
const VALUES = {
  env: 'sk-env-8Gk2pQ9vXw4ZtR7yLm3N',
  file: 'sk-file-H5s8Jd1aVf6Kc0PzQ2Bn',
  renewed: 'sk-renewed-W3e7Yu9IoP4aS6dF1g',
  command: 'sk-command-M8n2Bv6Cx4Zq1Lk9Jh',
  clients: 'sk-client-T5r8Ew2Qa7Sz4Xd6Cf',
};
const MARKS = Object.entries(VALUES).map(([name, value]) => mark(name, value));

let folder: string;
let provider: FakeProvider;
let gateway: TestGateway;
/** Refuses keys of clients. */
let strict: TestGateway;
const answers: Reply[] = [];

const file = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gw-test-credentials-'));
  writeFileSync(file('openai.key'), `${VALUES.file}\n`);
  writeFileSync(file('groq.key'), VALUES.file);
  writeFileSync(file('print-key'), `#!/bin/sh\nenv > ${file('command.env')}\nprintf %s ${VALUES.command}\n`);
  chmodSync(file('print-key'), 0o700);
  provider = await createFakeProvider();
  const providers = {
    openai: { base_url: provider.url },
    anthropic: { base_url: provider.url },
    groq: { base_url: provider.url },
  };
  const credentials: ConfigInput['credentials'] = {
    'openai-file': { provider: 'openai', from: { file: file('openai.key') }, max_age: '2s' },
    'openai-env': { provider: 'openai', from: { env: 'TEST_OPENAI_KEY' } },
    'claude-command': { provider: 'anthropic', from: { command: [file('print-key')] } },
    'groq-rotated': { provider: 'groq', from: { file: file('groq.key') } },
    'groq-missing': { provider: 'groq', from: { file: file('nothing.key') } },
  };
  const env = { TEST_OPENAI_KEY: VALUES.env };
  gateway = await startGateway({ config: { providers, credentials }, env });
  strict = await startGateway({
    redis: gateway.redis,
    config: { providers, credentials, proxy: { client_keys: 'deny' } },
    env,
  });
});
afterAll(async () => {
  await strict.stop();
  await gateway.stop();
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Ask {
  readonly rawKey: string;
  readonly path?: string;
  readonly clientKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly at?: TestGateway;
}

async function ask({ rawKey, path = CHAT, clientKey, headers, at = gateway }: Ask): Promise<Reply> {
  const model = path.startsWith('/anthropic') ? 'claude-sonnet-4-5' : 'gpt-4o';
  const reply = await send(at.baseUrl, {
    path,
    body: JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] }),
    headers: {
      authorization: `Bearer ${rawKey}`,
      'content-type': 'application/json',
      ...(clientKey !== undefined && { 'x-gateway-provider-key': clientKey }),
      ...headers,
    },
  });
  answers.push(reply);
  return reply;
}

const lastHeaders = (): Readonly<Record<string, unknown>> => provider.requests.at(-1)?.headers ?? {};

describe('a credential held by the gateway', () => {
  it('is sent to its provider with the requests of keys that name it', async () => {
    const credentials = ['openai-env', 'claude-command'];
    const { rawKey } = await gateway.createKey({ credentials, allowedProviders: ['openai', 'anthropic'] });
    const client = new OpenAI({ apiKey: rawKey, baseURL: `${gateway.baseUrl}/openai/v1`, maxRetries: 0 });
    await client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });
    expect(lastHeaders()).toMatchObject({ authorization: `Bearer ${VALUES.env}` });
    expect((await ask({ rawKey, path: '/anthropic/v1/messages' })).status).toBe(200);
    expect(lastHeaders()).toMatchObject({ 'x-api-key': VALUES.command });
  });

  it('is not available to keys that do not name it', async () => {
    const { rawKey } = await gateway.createKey();
    const reply = await ask({ rawKey });
    expect([reply.status, reply.body]).toEqual([400, expect.stringContaining('X-Gateway-Provider-Key')]);
    expect((await ask({ rawKey, clientKey: VALUES.clients })).status).toBe(200);
    expect(lastHeaders()).toMatchObject({ authorization: `Bearer ${VALUES.clients}` });
  });

  it('gives each key its own idempotency keys, since a provider repeats the answer of a known one', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    const keys = [
      await gateway.createKey({ credentials: ['openai-env'] }),
      await gateway.createKey({ credentials: ['openai-env'] }),
    ];
    const sent: unknown[] = [];
    for (const { rawKey } of [...keys, ...keys]) {
      expect((await ask({ rawKey, headers })).status).toBe(200);
      sent.push(lastHeaders()['idempotency-key']);
    }
    expect(sent[0]).toMatch(/^[\w-]{43}$/);
    expect(sent[1]).not.toBe(sent[0]);
    expect(sent.slice(2)).toEqual(sent.slice(0, 2));
    const { rawKey } = await gateway.createKey();
    await ask({ rawKey, headers, clientKey: VALUES.clients });
    expect(lastHeaders()).toMatchObject(headers);
  });

  it('belongs to one account: headers that choose another are not sent with it', async () => {
    const chosen = { 'openai-organization': 'org-other', 'openai-project': 'proj-other' };
    const { rawKey } = await gateway.createKey({ credentials: ['openai-env'] });
    expect((await ask({ rawKey, headers: chosen })).status).toBe(200);
    for (const name of Object.keys(chosen)) expect(lastHeaders()[name]).toBeUndefined();
    const own = await gateway.createKey();
    expect((await ask({ rawKey: own.rawKey, clientKey: VALUES.clients, headers: chosen })).status).toBe(200);
    expect(lastHeaders()).toMatchObject(chosen);
  });

  it('replaces the key that a client sends', async () => {
    const { rawKey } = await gateway.createKey({ credentials: ['openai-env'] });
    expect((await ask({ rawKey, clientKey: VALUES.clients })).status).toBe(200);
    expect(lastHeaders()).toMatchObject({ authorization: `Bearer ${VALUES.env}` });
  });

  it('is the only one under proxy.client_keys: deny', async () => {
    const { rawKey } = await gateway.createKey({ credentials: ['openai-env'] });
    const reply = await ask({ rawKey, clientKey: VALUES.clients, at: strict });
    expect([reply.status, reply.body]).toEqual([400, expect.stringContaining('manages the provider keys')]);
    expect((await ask({ rawKey, at: strict })).status).toBe(200);
    const without = await ask({ rawKey: (await gateway.createKey()).rawKey, at: strict });
    expect([without.status, without.body]).toEqual([
      400,
      expect.stringContaining('keys update --credentials'),
    ]);
  });

  it('is renewed with its file, survives the loss of its file until max_age, and comes back', async () => {
    const { rawKey } = await gateway.createKey({ credentials: ['openai-file'] });
    expect((await ask({ rawKey })).status).toBe(200);
    expect(lastHeaders()).toMatchObject({ authorization: `Bearer ${VALUES.file}` });
    writeFileSync(file('next'), VALUES.renewed);
    renameSync(file('next'), file('openai.key'));
    await expect
      .poll(async () => ((await ask({ rawKey })).status === 200 ? lastHeaders() : {}), { timeout: 10_000 })
      .toMatchObject({ authorization: `Bearer ${VALUES.renewed}` });

    rmSync(file('openai.key'));
    expect((await ask({ rawKey })).status).toBe(200);
    await expect.poll(async () => (await ask({ rawKey })).status, { timeout: 20_000 }).toBe(503);
    const before = provider.requests.length;
    // The client's own key does not replace it.
    const refused = await ask({ rawKey, clientKey: VALUES.clients });
    expect(refused.body).toContain('"type":"credential_unavailable"');
    expect(provider.requests).toHaveLength(before);
    await expect
      .poll(() => gateway.metrics())
      .toMatch(/gateway_credential_usable\{credential="openai-file"\} 0/);

    writeFileSync(file('openai.key'), VALUES.renewed);
    await expect.poll(async () => (await ask({ rawKey })).status, { timeout: 10_000 }).toBe(200);
    await expect
      .poll(() => gateway.metrics())
      .toMatch(/gateway_credential_usable\{credential="openai-file"\} 1/);
  });

  it('is used together with the previous one until the provider has accepted the renewed one', async () => {
    const { rawKey } = await gateway.createKey({ credentials: ['groq-rotated'], allowedProviders: ['groq'] });
    const path = '/groq/v1/chat/completions';
    const accepted = new Set([VALUES.file]);
    provider.behave(({ headers }) => {
      const key = String(headers['authorization']).replace('Bearer ', '');
      return accepted.has(key) ? {} : { status: 401 };
    });
    async function used(): Promise<unknown> {
      const { status } = await ask({ rawKey, path });
      return [status, String(lastHeaders()['authorization']).replace('Bearer ', '')];
    }
    expect(await used()).toEqual([200, VALUES.file]);
    writeFileSync(file('groq.key'), VALUES.renewed);
    // The provider does not know the renewed one yet: one request finds out, the others use the previous one.
    await expect.poll(used, { timeout: 10_000 }).toEqual([503, VALUES.renewed]);
    expect([await used(), await used()]).toEqual([
      [200, VALUES.file],
      [200, VALUES.file],
    ]);
    const metrics = await gateway.metrics();
    expect(metrics).toMatch(
      /gateway_credential_answers_total\{credential="groq-rotated",outcome="refused"\} 1/,
    );

    writeFileSync(file('groq.key'), VALUES.command);
    accepted.add(VALUES.command);
    await expect.poll(used, { timeout: 10_000 }).toEqual([200, VALUES.command]);
    accepted.delete(VALUES.command);
    // The previous one is forgotten, and the provider's answer, which may quote the credential, is withheld.
    const refused = await ask({ rawKey, path });
    expect([refused.status, refused.body]).toEqual([
      503,
      expect.stringContaining("the provider refused the gateway's credential"),
    ]);
    expect(refused.body).toContain('"type":"credential_unavailable"');
    provider.behave({});
  });

  it.each([
    ['whose source was never there', 'groq-missing', '/groq/v1/chat/completions'],
    ['that this gateway does not know', 'of-another-gateway', CHAT],
  ])('%s refuses the request', async (_which, credential, path) => {
    const { rawKey } = await gateway.createKey({ credentials: [credential], allowedProviders: ['groq'] });
    const reply = await ask({ rawKey, path, clientKey: VALUES.clients });
    expect([reply.status, reply.headers['retry-after']]).toEqual([503, expect.any(String)]);
    expect(reply.body).toContain('"type":"credential_unavailable"');
  });

  it('is listed with its last use and failure, by the running gateway', async () => {
    const list = (...args: readonly string[]) =>
      runCli(gateway.redis, ['credentials', 'list', '--config', gateway.configFile, ...args]);
    const { credentials } = JSON.parse((await list('--output', 'json')).stdout) as {
      credentials: Record<string, unknown>[];
    };
    const time = expect.stringMatching(/^20\d\d-.*Z$/) as string;
    const [never, known] = [null, { read_at: time, last_used_at: time }];
    expect(Object.fromEntries(credentials.map(({ credential, ...row }) => [credential, row]))).toMatchObject({
      'openai-env': { state: 'usable', ...known, last_failed_at: never },
      // Its file was missing for a while.
      'openai-file': { state: 'usable', ...known, last_failed_at: time },
      // The provider has refused it.
      'groq-rotated': { state: 'usable', ...known, last_failed_at: time },
      'groq-missing': { state: 'unusable', read_at: never, last_used_at: never, last_failed_at: time },
    });
    const shown = (await list()).stdout;
    expect(shown).toMatch(/last used +last failed/);
    expect(found(MARKS, shown)).toEqual([]);
  });

  it('is read again by gateway credentials rotate, at once and not after its ttl', async () => {
    const rotate = (name: string) =>
      runCli(gateway.redis, [
        'credentials',
        'rotate',
        name,
        '--config',
        gateway.configFile,
        '--output',
        'json',
      ]);
    const { rawKey } = await gateway.createKey({
      credentials: ['claude-command'],
      allowedProviders: ['anthropic'],
    });
    async function used(): Promise<unknown> {
      expect((await ask({ rawKey, path: '/anthropic/v1/messages' })).status).toBe(200);
      return lastHeaders()['x-api-key'];
    }
    writeFileSync(file('print-key'), `#!/bin/sh\nprintf %s ${VALUES.renewed}\n`);
    expect(await used()).toBe(VALUES.command);
    const rotated = await rotate('claude-command');
    expect([rotated.code, JSON.parse(rotated.stdout)]).toMatchObject([
      0,
      { credential: 'claude-command', read_here: 'read' },
    ]);
    await expect.poll(used, { timeout: 5_000 }).toBe(VALUES.renewed);

    writeFileSync(file('print-key'), '#!/bin/sh\nexit 1\n');
    const failed = await rotate('claude-command');
    expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([1, { read_here: 'failed' }]);
    expect(await used()).toBe(VALUES.renewed);
    expect(await rotate('openai-env')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('restart the gateway with the new value') as string,
    });
    expect(await rotate('nothing')).toMatchObject({ code: 2 });
  });

  it('does not appear in logs, metrics, answers, Redis or the environment of other processes', async () => {
    const shown = [
      gateway.logs(),
      await gateway.metrics(),
      JSON.stringify(answers),
      await storedText(gateway.redis.client),
      ...descendants(gateway.pid).map(({ pid }) => readFileSync(`/proc/${String(pid)}/environ`, 'utf8')),
      readFileSync(file('command.env'), 'utf8'),
    ];
    expect(shown.flatMap((text) => found(MARKS, text))).toEqual([]);
  });
});
