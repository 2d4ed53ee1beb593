import { afterAll, beforeAll, describe } from 'vitest';

import { startClientsRig, type ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import { sameAsDirect, tellsRefusals } from '../support/clients/rows.ts';
import { CLIENTS } from './versions.ts';

const CALLS = ['plain', 'stream', 'tool'];
const REFUSED = ['plain', 'stream'];
const CHAT = [...CALLS, 'tool_stream'];
/** It sends no headers of ours, and exposes no status of a refused stream. */
const [IN_PATH] = CLIENTS.cohereJs;
/** Its errors are objects, or it fails with its own: only the provider's own format is readable to it. */
const [NATIVE_ALONE] = CLIENTS.togetherPython;

describe("other providers' clients", () => {
  let rig: ClientsRig;
  beforeAll(async () => {
    rig = await startClientsRig();
  });
  afterAll(() => rig.close());

  for (const [recipes, script, provider, calls] of [
    [CLIENTS.coherePython, 'cohere.py', 'cohere', CALLS],
    [CLIENTS.cohereJs, 'cohere.mjs', 'cohere', CALLS],
    [CLIENTS.mistralPython, 'mistral.py', 'mistral', CALLS],
    [CLIENTS.mistralJs, 'mistral.mjs', 'mistral', CALLS],
    [CLIENTS.groqPython, 'groq.py', 'groq', CHAT],
    [CLIENTS.groqJs, 'groq.mjs', 'groq', CHAT],
    [CLIENTS.togetherPython, 'together.py', 'together', CHAT],
    [CLIENTS.togetherJs, 'together.mjs', 'together', CHAT],
    [CLIENTS.ollamaPython, 'ollama.py', 'ollama', [...CALLS, 'generate']],
    [CLIENTS.ollamaJs, 'ollama.mjs', 'ollama', CALLS],
  ] as const) {
    for (const recipe of recipes) {
      describeClient(recipe, (client) => {
        const auth = recipe === IN_PATH ? 'path' : 'header';
        const row = { rig: () => rig, client, script, provider, auth } as const;
        sameAsDirect({ ...row, calls });
        if (recipe !== NATIVE_ALONE)
          tellsRefusals({ ...row, calls: recipe === IN_PATH ? ['plain'] : REFUSED });
      });
    }
  }
});
