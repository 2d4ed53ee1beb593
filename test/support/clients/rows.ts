import { expect, it } from 'vitest';

import type { ProviderName } from '../../../src/providers/registry.ts';
import { makeCalls, withoutMadeUp, type CallOutcome } from './calls.ts';
import type { ClientsRig, EndpointOptions } from './clients-rig.ts';
import type { InstalledClient } from './install.ts';

/** One client, its script, and the calls of it that a test makes. */
export interface ClientRow {
  readonly rig: () => ClientsRig;
  readonly client: () => InstalledClient;
  /** In `test/clients/scripts`. */
  readonly script: string;
  readonly provider: ProviderName;
  readonly calls: readonly string[];
  readonly auth?: EndpointOptions['auth'];
  readonly providerKey?: string;
  /** Further environment of the script. */
  readonly env?: Readonly<Record<string, string>>;
  /** The rig refuses in the provider's own format (`server.error_format: native`), whose message every client shows. */
  readonly shown?: boolean;
}

/** Expects that every call returns the same through the gateway as without it, and returns something. */
export function sameAsDirect(row: ClientRow): void {
  const { script, provider, calls, auth = 'header', providerKey } = row;
  const env = row.env ?? {};
  it(`${script} ${provider}, ${auth} auth: ${calls.join(', ')} as without the gateway`, async () => {
    const options = { auth, ...(providerKey !== undefined && { providerKey }) };
    const through = await row.rig().through(provider, options);
    const outcomes = await makeCalls(row.client(), script, through, calls, env);
    const direct = await makeCalls(row.client(), script, row.rig().direct(provider, providerKey), calls, env);
    const failed = Object.entries(direct).filter(([, outcome]) => 'error' in outcome);
    expect(failed, 'the mock itself answers these').toEqual([]);
    expect(withoutMadeUp(outcomes)).toEqual(withoutMadeUp(direct));
  });
}

/** Clients that keep no headers of an error, in general or for one provider. */
const HEADERS_ARE_LOST: readonly string[] = [
  'litellm 1.74.0',
  'litellm 1.106.2',
  'cohere 5.13.0',
  'cohere-ai 7.14.0',
  'ollama 0.4.0',
  'ollama 0.6.3',
  'ollama 0.5.14',
  'ollama 0.6.4',
  'google-genai 1.0.0',
  '@google/genai 1.32.0',
  '@google/genai 3.1.0',
  '@google/generative-ai 0.24.1',
  'google.golang.org/genai v1.1.0',
  'google.golang.org/genai v1.77.0',
  '@langchain/openai 1.6.0 gemini',
];

function keepsHeaders({ client, provider }: ClientRow): boolean {
  const { name, version } = client().recipe;
  return !HEADERS_ARE_LOST.some((one) => [name, version, provider].join(' ').startsWith(one));
}

/** No client may retry for long what will not be granted. */
const REFUSED_WITHIN_MS = 60_000;

/**
 * A wrong key and a spent budget are the client's own errors, soon, with the refusal's type in a header that the
 * client keeps, and nothing reaches the provider.
 */
export function tellsRefusals(row: ClientRow): void {
  const { script, provider, calls, auth = 'header', providerKey } = row;
  const options = { auth, ...(providerKey !== undefined && { providerKey }) };
  const refusals = [
    {
      what: 'a wrong key',
      status: 401,
      type: 'invalid_key',
      sentence: 'invalid proxy key',
      budget: { daily: 50 },
      keyOf: () => `gw-${'x'.repeat(43)}`,
    },
    {
      what: 'a spent budget',
      status: 429,
      type: 'budget_exceeded',
      sentence: 'the daily budget of',
      budget: { daily: 0.000_001 },
      keyOf: (rawKey: string) => rawKey,
    },
  ];
  const how = row.shown === true ? 'shown with its sentence' : 'told';
  it.each(refusals)(
    `${script} ${provider}: $what is ${how}`,
    async ({ status, type, sentence, budget, keyOf }) => {
      const shown = row.shown === true ? { message: expect.stringContaining(sentence) as string } : {};
      const endpoint = await row.rig().through(provider, { ...options, budget });
      const seen = await requestsSoFar(row.rig());
      const key = keyOf(endpoint.rawKey);
      const presented =
        auth === 'header'
          ? { ...endpoint, apiKey: key }
          : { ...endpoint, baseUrl: endpoint.baseUrl.replace(endpoint.rawKey, key) };
      const started = performance.now();
      const outcomes = await makeCalls(row.client(), script, presented, calls, row.env ?? {});
      expect(performance.now() - started).toBeLessThan(REFUSED_WITHIN_MS);
      const gatewayType = keepsHeaders(row) ? type : undefined;
      for (const call of calls) {
        expect(outcomes[call], call).toMatchObject({ error: { status, ...shown } });
        expect(typeOf(outcomes[call]), call).toBe(gatewayType);
      }
      expect(await requestsSoFar(row.rig())).toBe(seen);
    },
  );
}

function typeOf(outcome: CallOutcome | undefined): string | undefined {
  return outcome !== undefined && 'error' in outcome ? outcome.error.gatewayType : undefined;
}

async function requestsSoFar({ aimock, fake }: ClientsRig): Promise<number> {
  return (await aimock.requests()).length + fake.requests.length;
}
