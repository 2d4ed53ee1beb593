import { expect, it } from 'vitest';

import type { ProviderName } from '../../../src/providers/provider.ts';
import { makeCalls, withoutMadeUp } from './calls.ts';
import type { ClientsRig, EndpointOptions } from './clients-rig.ts';
import type { InstalledClient } from './install.ts';

/** One client, its script and the calls of it that a test makes. */
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
  /** The rig refuses in the provider's own shape (`server.error_format: native`), whose sentence every client shows. */
  readonly shown?: boolean;
}

/** Every call gives through the gateway what it gives without it, and gives something at all. */
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

/** No client may try again for long what will not be granted. */
const REFUSED_WITHIN_MS = 60_000;

/** A wrong key and a spent budget are the client's own errors, soon, and nothing reaches the provider. */
export function tellsRefusals(row: ClientRow): void {
  const { script, provider, calls, auth = 'header', providerKey } = row;
  const options = { auth, ...(providerKey !== undefined && { providerKey }) };
  const refusals = [
    ['a wrong key', 401, 'invalid proxy key', { daily: 50 }, (): string => `gw-${'x'.repeat(43)}`],
    ['a spent budget', 429, 'the daily budget has', { daily: 0.000_001 }, (rawKey: string): string => rawKey],
  ] as const;
  const how = row.shown === true ? 'shown with its sentence' : 'told';
  it.each(refusals)(`${script} ${provider}: %s is ${how}`, async (_, status, sentence, budget, keyOf) => {
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
    for (const call of calls) expect(outcomes[call], call).toMatchObject({ error: { status, ...shown } });
    expect(await requestsSoFar(row.rig())).toBe(seen);
  });
}

async function requestsSoFar({ aimock, fake }: ClientsRig): Promise<number> {
  return (await aimock.requests()).length + fake.requests.length;
}
