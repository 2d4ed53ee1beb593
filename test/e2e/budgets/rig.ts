import { PassThrough } from 'node:stream';
import { expect, vi } from 'vitest';
import { main } from '../../../cli/main.ts';
import type { NewKey } from '../../../src/auth/key-fields.ts';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { providers } from '../../../src/providers/registry.ts';
import { readAccount, type AccountNow } from '../../support/account.ts';
import {
  createFakeProvider,
  type FakeProvider,
  type RecordedRequest,
  type Script,
} from '../../support/fake-provider/index.ts';
import { startGateway, type TestBudget, type TestGateway } from '../../support/gateway.ts';
import { send, type Reply, type SendOptions } from '../../support/http.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';

/** One output token of the model `flat`, in nano-USD. Its input is free, so the output alone decides the cost. */
export const TOKEN = 1_000;
export const CHAT = '/openai/v1/chat/completions';
/** 40 letters: nine tokens by our count, ten by the fake provider's. */
export const WORDS = 'one two three four five six seven eight.';
export const WORD_PIECES = 10;

export const CHAT_BODY = {
  model: 'flat',
  max_tokens: 1_000,
  messages: [{ role: 'user', content: 'Say something.' }],
} as const;

const OVERRIDES = {
  flat: { input: 0, output: 1 },
  'gpt-5': { input: 0, output: 1 },
  /** Each kind of token has its own price. */
  detailed: { input: 1, cached_input: 0.1, cache_write: 2, output: 10 },
  /** Audio has a price, and text input is free. */
  spoken: { input: 0, output: 1, input_audio: 2, output_audio: 20, context_tokens: 10_000 },
} as const;

/** Read for each request. */
type ClientScript = () => Script;

export interface Budgets {
  readonly redis: TestRedis;
  readonly provider: FakeProvider;
  readonly gateway: TestGateway;
  /** By provider key. */
  readonly scripts: Map<string, ClientScript>;
  newClient(options?: ClientOptions): Promise<Client>;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly key?: Partial<NewKey>;
  /** No budget if omitted. */
  readonly budget?: TestBudget;
  /** The provider key that it sends; by default its own, which identifies its requests upstream. */
  readonly providerKey?: string;
  /** The target of its requests, if not the rig's own gateway. */
  readonly gateways?: readonly TestGateway[];
}

/** A client with its own key. */
export interface Client {
  readonly keyHash: string;
  /** Sends a chat for the model `flat` with these members, or this body to another path. */
  ask(body?: Readonly<Record<string, unknown>>, options?: AskOptions): Promise<Reply>;
  /** Its requests that reached the provider. */
  forwarded(): readonly RecordedRequest[];
  /** Scripts the provider for its requests; other clients' requests are unaffected. */
  behave(script: Script | ClientScript): void;
  account(): Promise<AccountNow>;
  /** Waits until nothing is reserved and this amount is spent. */
  expectSpent(nanoUsd: number): Promise<void>;
}

export type AskOptions = Pick<SendOptions, 'path' | 'headers' | 'signal' | 'bodyAfter' | 'onText'> & {
  /** Disconnects as soon as the body so far contains this text. */
  readonly leaveAt?: string;
};

let clients = 0;

/** A gateway whose fifteen providers are one fake; a second one may share the first one's Redis and fake. */
export async function startBudgets(config: ConfigInput = {}, shared?: Budgets): Promise<Budgets> {
  const redis = shared?.redis ?? (await startTestRedis());
  const provider = shared?.provider ?? (await createFakeProvider());
  const configured = new Map<string, object | undefined>(Object.entries(config.providers ?? {}));
  const upstreams = Object.keys(providers).map((name) => [
    name,
    { base_url: provider.url, ...configured.get(name) },
  ]);
  const gateway = await startGateway({
    redis,
    config: {
      ...config,
      pricing: { overrides: OVERRIDES, ...config.pricing },
      providers: Object.fromEntries(upstreams) as Record<string, object>,
    },
  });
  const scripts = shared?.scripts ?? new Map<string, ClientScript>();
  provider.behave((request) => {
    const credentials = Object.values(request.headers).join('\n');
    for (const [providerKey, script] of scripts) if (credentials.includes(providerKey)) return script();
    return {};
  });

  async function newClient(options: ClientOptions = {}): Promise<Client> {
    const everywhere = { allowedProviders: Object.keys(providers) as NewKey['provider'][] };
    const { rawKey, keyHash } = await gateway.createKey({ ...everywhere, ...options.key }, options.budget);
    const providerKey = options.providerKey ?? `sk-client-${String(++clients)}-`;
    const gateways = options.gateways ?? [gateway];
    const account = (): Promise<AccountNow> => readAccount(redis, keyHash);
    let asked = 0;
    return {
      keyHash,
      async ask(body = {}, { leaveAt, ...sendOptions } = {}) {
        const leaving = new AbortController();
        const target = gateways[asked++ % gateways.length] ?? gateway;
        return send(target.baseUrl, {
          path: CHAT,
          body: JSON.stringify(sendOptions.path === undefined ? { ...CHAT_BODY, ...body } : body),
          ...(leaveAt === undefined
            ? {}
            : { signal: leaving.signal, onText: (text) => text.includes(leaveAt) && leaving.abort() }),
          ...sendOptions,
          headers: {
            authorization: `Bearer ${rawKey}`,
            'x-gateway-provider-key': providerKey,
            'content-type': 'application/json',
            ...sendOptions.headers,
          },
        });
      },
      forwarded: () =>
        provider.requests.filter(({ headers }) => Object.values(headers).join('\n').includes(providerKey)),
      behave: (script) => void scripts.set(providerKey, typeof script === 'function' ? script : () => script),
      account,
      expectSpent: (nanoUsd) =>
        vi.waitFor(async () => expect(await account()).toEqual({ spent: nanoUsd, reserved: 0 }), {
          timeout: 10_000,
          interval: 50,
        }),
    };
  }

  return {
    redis,
    provider,
    gateway,
    scripts,
    newClient,
    async close() {
      await gateway.stop();
      if (shared !== undefined) return;
      await provider.close();
      await redis.close();
    },
  };
}

/** Runs the program against a gateway's configuration, as an operator beside the gateway does. */
export async function cli({ configFile }: TestGateway, ...args: readonly string[]) {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const env = { SERVER_INSECURE_DEV: 'true' };
  const code = await main(['--config', configFile, ...args], { stdin: process.stdin, stdout, stderr, env });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

/** One window of `budget status --output json`. */
export interface WindowNow {
  readonly window: string;
  readonly limit_usd: number | null;
  readonly spent_usd: number;
  readonly reserved_usd: number;
  readonly remaining_usd: number | null;
  readonly resets_at: string;
}

export async function budgetStatus(gateway: TestGateway, keyHash: string): Promise<readonly WindowNow[]> {
  const { code, stdout, stderr } = await cli(gateway, 'budget', 'status', keyHash, '--output', 'json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { keys: { windows: WindowNow[] }[] }).keys[0]?.windows ?? [];
}

/** A promise that never settles. */
export const NEVER = new Promise<never>(() => undefined);

export function expectRefusal(reply: Reply, status: number, type: string): void {
  expect([reply.status, reply.body]).toEqual([status, expect.stringContaining(`"type":"${type}"`)]);
  const body = JSON.parse(reply.body) as object;
  // AWS's SDKs read `message`, and its headers identify a Bedrock client.
  const ofBedrock = reply.headers['x-amzn-errortype'] === undefined ? [] : ['message'];
  // At the address of an MCP server it is a JSON-RPC error.
  const ofJsonRpc = 'jsonrpc' in body ? ['id', 'jsonrpc'] : [];
  const ofFindings = 'findings' in body ? ['findings'] : [];
  expect(Object.keys(body).sort()).toEqual(['error', ...ofFindings, ...ofJsonRpc, ...ofBedrock, 'type']);
  expect(reply.headers['x-gateway-error-type']).toBe(type);
  expect(reply.headers['content-type']).toBe('application/json');
  expect(reply.headers['x-gateway-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  const isPolicy = type === 'policy_denied' || type === 'escalation_denied';
  expect(reply.headers['x-gateway-policy-block']).toBe(isPolicy ? 'true' : undefined);
  if (isPolicy) expect(reply.headers['x-gateway-block-reason']).toMatch(/^[\x21-\x7e][\x20-\x7e]{0,255}$/);
}
