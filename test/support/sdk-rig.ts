import { PassThrough } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { main } from '../../cli/main.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import { type ProviderName, providers } from '../../src/providers/registry.ts';
import { createTestCa } from './certs.ts';
import { createFakeProvider, type FakeProvider, type RecordedRequest } from './fake-provider/index.ts';
import { startGateway, type TestBudget, type TestGateway } from './gateway.ts';

/** The fake model's answer, and its reported tokens: one for every four letters. */
export const TEXT = 'Grüße from the fake 🙂 model';
export const PROMPT = 'say something';
export const INPUT_TOKENS = 10;
export const OUTPUT_TOKENS = 7;

/** The clients' transport to the gateway, and the gateway's to the provider, which is always TLS. */
export interface Transport {
  readonly name: string;
  readonly tlsListener: boolean;
  readonly http2Upstream: boolean;
}

export const TRANSPORTS: readonly Transport[] = [
  { name: 'over TLS, HTTP/2 upstream', tlsListener: true, http2Upstream: true },
  { name: 'over plain HTTP, HTTP/1.1 upstream', tlsListener: false, http2Upstream: false },
];

export type AuthForm = 'header' | 'path';

/** Everything that a user changes in an SDK's options. */
export interface Access {
  readonly auth: AuthForm;
  /** With the provider's segment and without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headers: Record<string, string>;
  /** The real provider key, wherever it is sent. */
  readonly providerKey: string;
  readonly rawKey: string;
  readonly keyHash: string;
}

export interface Forwarded {
  readonly path: string;
  /** Name and value of the only credential. */
  readonly credential: readonly [string, string] | 'signature' | 'none';
}

/** A gateway in front of one fake provider, for unmodified clients. */
export interface SdkRig {
  readonly gateway: TestGateway;
  readonly provider: FakeProvider;
  /** A fresh key for one provider, with an ample budget unless another is given. */
  access(provider: ProviderName, auth: AuthForm, providerKey: string, budget?: TestBudget): Promise<Access>;
  /** The provider's last request; fails if it contained anything of the gateway's or a second credential. */
  forwarded(access: Access, wanted: Forwarded): RecordedRequest;
  /** Expects that `gateway budget status` shows this spend, and no reservation. */
  expectSpent(access: Access, usd: number): Promise<void>;
  /** The key's spend today, once nothing is reserved. */
  spentUsd(access: Access): Promise<number>;
  close(): Promise<void>;
}

interface DailyWindow {
  readonly window: string;
  readonly spent_usd: number;
  readonly reserved_usd: number;
}

const CREDENTIAL_HEADERS = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key'];

const SETTLED_WITHIN = { timeout: 30_000, interval: 20 };

/** Trusts the test CA in this whole process, like `NODE_EXTRA_CA_CERTS`: the SDKs stay unmodified. */
export async function startSdkRig(transport: Transport, config: ConfigInput = {}): Promise<SdkRig> {
  const ca = await createTestCa();
  setDefaultCACertificates([...getCACertificates('bundled'), ca.ca]);
  const provider = await createFakeProvider({
    tls: await ca.issue('provider'),
    http2: transport.http2Upstream,
  });
  const { certFile, keyFile } = await ca.issue('gateway');
  // The base path is the public one, such as groq's `/openai`.
  const upstreams = Object.values(providers).map(({ name, defaultBaseUrl = '' }) => {
    const basePath = defaultBaseUrl === '' ? '' : new URL(defaultBaseUrl).pathname.replace(/\/$/, '');
    const settings = { base_url: provider.url + basePath, ca_file: ca.caFile, ...config.providers?.[name] };
    return [name, settings];
  });
  const gateway = await startGateway({
    config: {
      ...config,
      ...(transport.tlsListener && { server: { tls: { cert_file: certFile, key_file: keyFile } } }),
      providers: Object.fromEntries(upstreams) as Record<string, object>,
    },
  });
  return {
    gateway,
    provider,
    async access(name, auth, providerKey, budget = { daily: 5 }) {
      const { rawKey, keyHash } = await gateway.createKey({ provider: name }, budget);
      const identity = { auth, providerKey, rawKey, keyHash };
      return auth === 'header'
        ? {
            ...identity,
            baseUrl: `${gateway.baseUrl}/${name}`,
            apiKey: rawKey,
            headers: { 'X-Gateway-Provider-Key': providerKey, 'X-Gateway-Session-ID': 'sdk' },
          }
        : { ...identity, baseUrl: `${gateway.baseUrl}/${rawKey}/${name}`, apiKey: providerKey, headers: {} };
    },
    forwarded(access, wanted) {
      const request = provider.requests.at(-1);
      if (request === undefined) throw new Error('nothing was forwarded');
      expect(request.path).toBe(wanted.path);
      expect(request.httpVersion).toBe(transport.http2Upstream ? '2.0' : '1.1');
      const credentials = Object.entries(request.headers).filter(([name]) =>
        CREDENTIAL_HEADERS.includes(name),
      );
      const { credential } = wanted;
      if (credential === 'signature') expect(credentials.map(([name]) => name)).toEqual(['authorization']);
      else expect(credentials).toEqual(credential === 'none' ? [] : [credential]);
      expect(JSON.stringify([request, request.body.toString()])).not.toContain(access.rawKey);
      expect(Object.keys(request.headers).filter((name) => name.startsWith('x-gateway'))).toEqual([]);
      return request;
    },
    expectSpent: (access, usd) =>
      vi.waitFor(
        async () =>
          expect(await dailyWindow(gateway, access)).toMatchObject({ spent_usd: usd, reserved_usd: 0 }),
        SETTLED_WITHIN,
      ),
    spentUsd: (access) =>
      vi.waitFor(async () => {
        const { spent_usd, reserved_usd } = await dailyWindow(gateway, access);
        expect(reserved_usd).toBe(0);
        return spent_usd;
      }, SETTLED_WITHIN),
    async close() {
      await gateway.stop();
      await provider.close();
      ca.close();
    },
  };
}

/** Starts one before the tests of a suite and closes it afterwards; usable only within tests. */
export function useSdkRig(transport: Transport, config: ConfigInput = {}): SdkRig {
  let started: SdkRig | undefined;
  beforeAll(async () => {
    started = await startSdkRig(transport, config);
  });
  afterAll(() => started?.close());
  function rig(): SdkRig {
    if (started === undefined) throw new Error('there is no rig before the tests');
    return started;
  }
  return {
    get gateway() {
      return rig().gateway;
    },
    get provider() {
      return rig().provider;
    },
    access: (...args) => rig().access(...args),
    forwarded: (...args) => rig().forwarded(...args),
    expectSpent: (...args) => rig().expectSpent(...args),
    spentUsd: (...args) => rig().spentUsd(...args),
    close: () => rig().close(),
  };
}

/** As shown to an operator. */
async function dailyWindow(gateway: TestGateway, { keyHash }: Access): Promise<DailyWindow> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const args = ['--config', gateway.configFile, 'budget', 'status', keyHash, '--output', 'json'];
  const env = { SERVER_INSECURE_DEV: 'true' };
  const code = await main(args, { stdin: process.stdin, stdout, stderr, env });
  if (code !== 0) throw new Error(String(stderr.read()));
  const { keys } = JSON.parse(String(stdout.read())) as { keys: { windows: DailyWindow[] }[] };
  const daily = keys[0]?.windows.find(({ window }) => window === 'daily');
  if (daily === undefined) throw new Error(`no daily window of ${keyHash}`);
  return daily;
}

/** The cost of a usage, in USD exact to the nano-USD, at rates in USD per million tokens. */
export function usd(rates: { readonly input: number; readonly output: number }, tokens = USUAL): number {
  return Math.round((tokens.input * rates.input + tokens.output * rates.output) * 1_000) / 1e9;
}

const USUAL = { input: INPUT_TOKENS, output: OUTPUT_TOKENS };
