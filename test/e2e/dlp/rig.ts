import { expect, beforeAll, afterEach, afterAll, beforeEach } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { makeSecret, seededRandom } from '../../unit/detectors/secrets/samples.ts';
import { type RawProvider, createRawProvider } from '../../support/raw-provider.ts';
import { type TestGateway, type TestKey, startGateway } from '../../support/gateway.ts';
import { type Reply, send } from '../../support/http.ts';
import { expectRefusal } from '../budgets/rig.ts';
import { createRedisSessionStore } from '../../../src/checks/session/redis-store.ts';

/** docs/dlp.md: answers, streams as sent on the wire, and requests. */
type Dlp = NonNullable<NonNullable<ConfigInput['server']>['dlp']>;

export const CHAT = '/openai/v1/chat/completions';
export const MESSAGES = '/anthropic/v1/messages';
export const SECRET = makeSecret('aws_access_key_id', seededRandom(7)).secret;

export let provider: RawProvider;
export let gateway: TestGateway;
const variants: TestGateway[] = [];
export let key: TestKey;

function configOf(dlp: Dlp, more: ConfigInput = {}): ConfigInput {
  const base = { base_url: provider.url };
  return {
    proxy: { unknown_endpoints: 'allow' },
    ...more,
    providers: { openai: base, anthropic: base, gemini: base },
    pricing: { overrides: { flat: { input: 0, output: 1 } } },
    server: { ...more.server, dlp: { enabled: true, scan_network: true, ...dlp } },
  };
}

/** Starts another gateway on the same Redis for one test. */
export async function variant(dlp: Dlp, more: ConfigInput = {}): Promise<TestGateway> {
  const started = await startGateway({ redis: gateway.redis, config: configOf(dlp, more) });
  variants.push(started);
  return started;
}

function newKey(): Promise<TestKey> {
  return gateway.createKey({ allowedProviders: ['openai', 'anthropic', 'gemini'] });
}

interface Asked {
  readonly target?: TestGateway;
  readonly path?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export function ask({ target = gateway, path = CHAT, body, headers = {} }: Asked = {}): Promise<Reply> {
  const question = body ?? { model: 'flat', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };
  return send(target.baseUrl, {
    path,
    body: JSON.stringify(question),
    headers: {
      authorization: `Bearer ${key.rawKey}`,
      'x-gateway-provider-key': 'sk-provider-0123456789',
      'content-type': 'application/json',
      ...headers,
    },
  });
}

/** Written by hand, so that its blanks and its order show whether it was changed. */
export function chat(content: string, more = ''): string {
  const usage = '{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}';
  const message = `{"role":"assistant", "content":${JSON.stringify(content)}${more}}`;
  return `{"id":"chatcmpl-1", "choices":[{"index":0,"message":${message},"finish_reason":"stop"}], "usage":${usage}}\n`;
}

/** Expects a masked answer: exactly these bytes, and the headers that report it. */
export function expectMasked(reply: Reply, body: string): void {
  expect(reply.body).toBe(body);
  expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(body)));
  expect(reply.headers['x-gateway-dlp-redacted']).toBe('true');
  expect(reply.headers).not.toHaveProperty('x-gateway-dlp-block');
}

export const riskOf = async (keyHash = key.keyHash): Promise<string | null> =>
  gateway.redis.client.hget(`gateway:risk_profile:${keyHash}`, 'risk_score');
export const lockMs = (keyHash = key.keyHash): Promise<number> =>
  gateway.redis.client.pttl(`gateway:quarantine:${keyHash}`);

export async function expectQuarantined(reply: Reply, classes: string): Promise<void> {
  expectRefusal(reply, 403, 'dlp_quarantine');
  expect(reply.headers['x-gateway-dlp-block']).toBe('true');
  expect(reply.headers).not.toHaveProperty('x-gateway-dlp-redacted');
  expect((JSON.parse(reply.body) as { error: string }).error).toBe(
    `the answer was withheld: it contains ${classes}`,
  );
  expect(await riskOf()).toBe('30');
  expect(await lockMs()).toBeGreaterThan(0);
}

export async function taintsOf(sessionId: string): Promise<readonly string[] | undefined> {
  const sessions = createRedisSessionStore({
    client: gateway.redis.client,
    deadlineMs: 5_000,
    ttlMs: 86_400_000,
    maxPerKey: 0,
  });
  return (await sessions.read({ keyHash: key.keyHash, sessionId }))?.session.taintFlags;
}

export async function expectUntouched(): Promise<void> {
  expect(await riskOf()).toBeNull();
  expect(await lockMs()).toBe(-2);
}
export function useRig(): void {
  beforeAll(async () => {
    provider = await createRawProvider();
    gateway = await startGateway({ config: configOf({}) });
  });
  afterEach(async () => {
    await Promise.all(variants.splice(0).map((variant) => variant.stop()));
  });
  afterAll(async () => {
    await gateway.stop();
    await provider.close();
  });
  beforeEach(async () => {
    key = await newKey();
    provider.answer({ body: chat('Fine.') });
  });
}
