import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ProviderName } from '../../src/providers/provider.ts';
import { MOCK_TEXT } from '../support/clients/aimock.ts';
import { startClientsRig } from '../support/clients/clients-rig.ts';
import type { ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import type { ClientRecipe } from '../support/clients/recipe.ts';
import { runScript } from '../support/clients/run-script.ts';
import { filledIn, readSnippet } from '../support/clients/snippets.ts';
import { CLIENTS } from './versions.ts';

interface PageRow {
  readonly page: string;
  readonly heading: string;
  readonly language: 'python' | 'js' | 'go';
  readonly client: ClientRecipe;
  readonly provider: ProviderName;
  /** The environment variable that the page reads the provider's key from. */
  readonly providerKey: string;
}

const openai = { page: 'openai.md', provider: 'openai', providerKey: 'OPENAI_API_KEY' } as const;

/** What a reader copies from each page of a library; printed is what the model said. */
const ROWS: readonly PageRow[] = [
  { ...openai, heading: 'Python', language: 'python', client: CLIENTS.openaiPython[1] },
  { ...openai, heading: 'JavaScript', language: 'js', client: CLIENTS.openaiJs[1] },
  { ...openai, heading: 'Go', language: 'go', client: CLIENTS.openaiGo[1] },
];

describe('what the pages of libraries show', () => {
  let rig: ClientsRig;
  beforeAll(async () => {
    rig = await startClientsRig();
  });
  afterAll(() => rig.close());

  for (const { page, heading, language, client, provider, providerKey } of ROWS) {
    describeClient(client, (installed) => {
      it(`${page}, ${heading}`, async () => {
        const endpoint = await rig.through(provider);
        const snippet = await readSnippet(page, heading, language);
        const result = await runScript(installed(), filledIn(snippet, rig.gateway.baseUrl), {
          env: { GATEWAY_KEY: endpoint.rawKey, [providerKey]: endpoint.providerKey },
        });
        expect(result.stderr).toBe('');
        expect(result.stdout).toBe(`${MOCK_TEXT}\n`);
      });
    });
  }
});
