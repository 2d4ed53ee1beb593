import { type Socket, connect } from 'node:net';
import { randomBytes } from 'node:crypto';
import { beforeAll, afterAll } from 'vitest';
import { type TestRedis, startTestRedis } from '../../support/redis.ts';
import { type FakeProvider, createFakeProvider } from '../../support/fake-provider/index.ts';
import { type TestGateway, startGateway } from '../../support/gateway.ts';
import { type Marked, mark } from '../../support/secret-search.ts';
import type { SendOptions } from '../../support/http.ts';
import { freePort } from '../../support/ports.ts';

/**
 * Recognizable keys are sent along every path of success and failure, and then everything that the gateway leaves
 * behind is searched for them.
 */
export const PROVIDERS = [
  'openai',
  'anthropic',
  'gemini',
  'azure',
  'cohere',
  'bedrock',
  'groq',
  'vllm',
] as const;
export const REDIS_PASSWORD = 'redis-password-Zk3vN8qL2xW7';
export const ALERT_SECRET = 'whsec_Q2h1Y2tOb3JyaXNXYXNIZXJl';

export let redis: TestRedis;
export let provider: FakeProvider;
export let gateway: TestGateway;
let monitor: Socket;
export let monitored = '';
/** All headers and bodies that clients received, except answers that the provider made to contain a key. */
export let answered = '';
export function remember(text: string): void {
  answered += text;
}

export const proxyKeys: Marked[] = [];
export const providerKeys: Marked[] = [];

/** The data of one case: a proxy key and a provider key used by no other. */
export interface Pair {
  readonly proxyKey: string;
  readonly keyHash: string;
  readonly providerKey: string;
}

export const JSON_TYPE = { 'content-type': 'application/json' };
export const MESSAGES = [{ role: 'user', content: 'hi' }];
export const CHAT = JSON.stringify({ model: 'gpt-4o', max_tokens: 20, messages: MESSAGES });
export const STREAM = JSON.stringify({ model: 'gpt-4o', max_tokens: 20, messages: MESSAGES, stream: true });
export const CLAUDE = JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 20, messages: MESSAGES });
export const GEMINI = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] });
export const CONVERSE = JSON.stringify({ messages: [{ role: 'user', content: [{ text: 'hi' }] }] });
export const CHAT_PATH = '/openai/v1/chat/completions';
export const MODEL = 'anthropic.claude-3-5-sonnet-20240620-v1:0';

export function newProviderKey(name: string, value = `sk-${randomBytes(24).toString('base64url')}`): string {
  providerKeys.push(mark(`${name}: provider key`, value));
  return value;
}

/** A key of the right form that was never created. */
export function unknownKey(name: string): string {
  const rawKey = `gw-${randomBytes(32).toString('base64url')}`;
  proxyKeys.push(mark(`${name}: unknown proxy key`, rawKey));
  return rawKey;
}

export const header = ({ proxyKey, providerKey }: Pair): Record<string, string> => ({
  authorization: `Bearer ${proxyKey}`,
  'x-gateway-provider-key': providerKey,
  ...JSON_TYPE,
});
export const bearer = ({ providerKey }: Pair): Record<string, string> => ({
  authorization: `Bearer ${providerKey}`,
  ...JSON_TYPE,
});

export const byPath = (pair: Pair, body = CHAT): SendOptions => ({
  path: `/${pair.proxyKey}${CHAT_PATH}`,
  headers: bearer(pair),
  body,
});
export const byHeader = (pair: Pair, body = CHAT): SendOptions => ({
  path: CHAT_PATH,
  headers: header(pair),
  body,
});

export function useRig(): void {
  beforeAll(async () => {
    redis = await startTestRedis({
      password: REDIS_PASSWORD,
      args: ['--slowlog-log-slower-than', '0', '--slowlog-max-len', '100000'],
    });
    provider = await createFakeProvider();
    const unreachable = await freePort();
    gateway = await startGateway({
      redis,
      workers: 2,
      config: {
        server: { log_level: 'debug', max_payload_bytes: 50_000, read_timeout: '1s' },
        redis: { read_timeout: '300ms', write_timeout: '300ms' },
        proxy: { upstream_timeout: '1s' },
        alerting: { secret: ALERT_SECRET },
        providers: {
          ...Object.fromEntries(PROVIDERS.map((name) => [name, { base_url: provider.url }])),
          groq: { base_url: `http://127.0.0.1:${String(unreachable)}` },
        },
      },
    });
    monitor = connect(redis.port, '127.0.0.1', () => monitor.write(`AUTH ${REDIS_PASSWORD}\r\nMONITOR\r\n`));
    monitor.on('data', (chunk) => (monitored += chunk.toString('latin1')));
    monitor.on('error', () => undefined);
  });
  afterAll(async () => {
    monitor.destroy();
    await gateway.stop();
    await provider.close();
    await redis.close();
  });
}
