import { afterAll, beforeAll } from 'vitest';
import { createFakeProvider, type FakeProvider } from '../../support/fake-provider/index.ts';
import { startGateway, type TestGateway } from '../../support/gateway.ts';

export const UNKNOWN = '/openai/v1/files';

export let gateway: TestGateway;
export let provider: FakeProvider;

/** Starts a gateway that allows unknown endpoints, before the first test of the file. */
export function useRig(): void {
  beforeAll(async () => {
    provider = await createFakeProvider();
    gateway = await startGateway({
      config: {
        providers: { openai: { base_url: provider.url } },
        proxy: { unknown_endpoints: 'allow' },
      },
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await provider.close();
  });
}
