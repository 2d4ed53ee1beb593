import type { ConfigInput } from '../../../src/config/schema.ts';
import { type ProviderName, providers } from '../../../src/providers/registry.ts';
import { createFakeProvider, type FakeProvider } from '../fake-provider/index.ts';
import { startGateway, type TestBudget, type TestGateway } from '../gateway.ts';
import { startAimock, type Aimock, type AimockFixture } from './aimock.ts';

/** A client's target and credentials: everything that differs between direct and through the gateway. */
export interface Endpoint {
  /** Without a trailing slash; through the gateway with the provider's segment. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Further headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** The provider's own key, wherever it is sent. */
  readonly providerKey: string;
}

/** A way through the gateway. */
export interface GatewayEndpoint extends Endpoint {
  readonly rawKey: string;
  readonly keyHash: string;
}

export interface EndpointOptions {
  /** Header auth unless set. */
  readonly auth?: 'header' | 'path';
  /** USD; 50 a day unless set. */
  readonly budget?: TestBudget;
  readonly providerKey?: string;
}

export interface ClientsRigOptions {
  readonly config?: ConfigInput;
  readonly fixtures?: readonly AimockFixture[];
  /** Providers that our fake provider replaces in aimock, such as dialects that aimock does not speak. */
  readonly faked?: readonly ProviderName[];
}

/** A real gateway in front of a third-party mock of the providers, and direct access to the mock. */
export interface ClientsRig {
  readonly gateway: TestGateway;
  readonly aimock: Aimock;
  readonly fake: FakeProvider;
  /** The mock itself. */
  direct(provider: ProviderName, providerKey?: string): Endpoint;
  /** A fresh key for one provider. */
  through(provider: ProviderName, options?: EndpointOptions): Promise<GatewayEndpoint>;
  close(): Promise<void>;
}

const PROVIDER_KEY = 'sk-provider-0123456789';

/** Models without a listed price, which a key with a budget needs. */
const UNPRICED = { 'llama3.2': { input: 1, output: 5 } };

/** Plain HTTP on both sides: TLS has its own tests, and clients in other languages use other trust stores. */
export async function startClientsRig(options: ClientsRigOptions = {}): Promise<ClientsRig> {
  const aimock = await startAimock(options.fixtures);
  const fake = await createFakeProvider();
  function upstream(name: ProviderName): string {
    const base = providers[name].defaultBaseUrl ?? '';
    // The base path is the public one, such as groq's `/openai`.
    const path = base === '' ? '' : new URL(base).pathname.replace(/\/$/, '');
    return `${options.faked?.includes(name) === true ? fake.url : aimock.url}${path}`;
  }
  const settings = Object.values(providers).map(({ name }) => [
    name,
    { base_url: upstream(name), ...options.config?.providers?.[name] },
  ]);
  async function closeProviders(): Promise<void> {
    await aimock.close();
    await fake.close();
  }
  const gateway = await startGateway({
    config: {
      pricing: { overrides: UNPRICED },
      ...options.config,
      providers: Object.fromEntries(settings) as Record<string, object>,
    },
  }).catch(async (error: unknown) => {
    await closeProviders();
    throw error;
  });
  return {
    gateway,
    aimock,
    fake,
    direct: (name, providerKey = PROVIDER_KEY) => ({
      baseUrl: upstream(name),
      apiKey: providerKey,
      headers: {},
      providerKey,
    }),
    through: async (name, { auth = 'header', budget = { daily: 50 }, providerKey = PROVIDER_KEY } = {}) => {
      const { rawKey, keyHash } = await gateway.createKey({ provider: name }, budget);
      const identity = { providerKey, rawKey, keyHash };
      return auth === 'header'
        ? {
            ...identity,
            baseUrl: `${gateway.baseUrl}/${name}`,
            apiKey: rawKey,
            headers: { 'X-Gateway-Provider-Key': providerKey },
          }
        : { ...identity, baseUrl: `${gateway.baseUrl}/${rawKey}/${name}`, apiKey: providerKey, headers: {} };
    },
    close: async () => {
      await gateway.stop();
      await closeProviders();
    },
  };
}
