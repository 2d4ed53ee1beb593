import { afterAll, beforeAll, describe } from 'vitest';

import type { ProviderName } from '../../src/providers/registry.ts';
import { startClientsRig, type ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import type { ClientRecipe } from '../support/clients/recipe.ts';
import { tellsRefusals } from '../support/clients/rows.ts';
import { FAKE_AWS_CREDENTIAL } from '../support/fake-provider/bedrock.ts';
import { CLIENTS } from './versions.ts';

type SdkRow = readonly [recipes: readonly ClientRecipe[], script: string, provider: ProviderName];

/** Google's have their own file. */
const SDKS: readonly SdkRow[] = [
  [CLIENTS.openaiPython, 'openai.py', 'openai'],
  [CLIENTS.openaiPython, 'azure.py', 'azure'],
  [CLIENTS.openaiJs, 'openai.mjs', 'openai'],
  [CLIENTS.openaiJs, 'azure.mjs', 'azure'],
  [CLIENTS.openaiGo, 'openai.go', 'openai'],
  [CLIENTS.anthropicPython, 'anthropic.py', 'anthropic'],
  [CLIENTS.anthropicJs, 'anthropic.mjs', 'anthropic'],
  [CLIENTS.anthropicGo, 'anthropic.go', 'anthropic'],
  [CLIENTS.boto3, 'boto3.py', 'bedrock'],
  [CLIENTS.awsJs, 'aws.mjs', 'bedrock'],
  [CLIENTS.coherePython, 'cohere.py', 'cohere'],
  [CLIENTS.cohereJs, 'cohere.mjs', 'cohere'],
  [CLIENTS.mistralPython, 'mistral.py', 'mistral'],
  [CLIENTS.mistralJs, 'mistral.mjs', 'mistral'],
  [CLIENTS.groqPython, 'groq.py', 'groq'],
  [CLIENTS.groqJs, 'groq.mjs', 'groq'],
  [CLIENTS.togetherPython, 'together.py', 'together'],
  [CLIENTS.togetherJs, 'together.mjs', 'together'],
  [CLIENTS.ollamaPython, 'ollama.py', 'ollama'],
  [CLIENTS.ollamaJs, 'ollama.mjs', 'ollama'],
];
const { accessKeyId, secretAccessKey, sessionToken } = FAKE_AWS_CREDENTIAL;
const providerKey = [accessKeyId, secretAccessKey, sessionToken].join(':');

describe("refusals in the provider's own format", () => {
  let rig: ClientsRig;
  beforeAll(async () => {
    rig = await startClientsRig({
      config: {
        server: { error_format: 'native' },
        providers: { azure: { deployments: { 'gpt-4o': 'gpt-4o' } } },
      },
    });
  });
  afterAll(() => rig.close());

  for (const [recipes, script, provider] of SDKS) {
    for (const recipe of recipes) {
      describeClient(recipe, (client) => {
        const auth = recipe === CLIENTS.cohereJs[0] ? 'path' : 'header';
        // Its printed errors have only the status; its fields have the rest.
        const shown = recipe !== CLIENTS.openaiGo[1];
        const row = {
          rig: () => rig,
          client,
          script,
          provider,
          auth,
          calls: ['plain'],
          shown,
        } as const;
        tellsRefusals(provider === 'bedrock' ? { ...row, providerKey } : row);
      });
    }
  }
});
