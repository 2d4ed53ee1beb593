import { afterAll, beforeAll, describe } from 'vitest';

import { startClientsRig, type ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import { sameAsDirect, tellsRefusals } from '../support/clients/rows.ts';
import { CLIENTS } from './versions.ts';

const REFUSED = ['plain', 'stream'];

describe("Google's clients", () => {
  let rig: ClientsRig;
  let native: ClientsRig;
  beforeAll(async () => {
    rig = await startClientsRig();
    native = await startClientsRig({ config: { server: { error_format: 'native' } } });
  });
  afterAll(async () => {
    await rig.close();
    await native.close();
  });

  for (const [recipes, script, calls] of [
    [CLIENTS.googlePython, 'google.py', [...REFUSED, 'tool', 'tool_stream', 'async_stream']],
    [CLIENTS.googleJs, 'google.mjs', [...REFUSED, 'tool', 'tool_stream']],
    [CLIENTS.generativeAiJs, 'generative-ai.mjs', [...REFUSED, 'tool']],
    [CLIENTS.googleGo, 'google.go', REFUSED],
  ] as const) {
    for (const recipe of recipes) {
      describeClient(recipe, (client) => {
        const row = { rig: () => rig, client, script, provider: 'gemini' } as const;
        sameAsDirect({ ...row, calls });
        sameAsDirect({ ...row, calls: REFUSED, auth: 'path' });
        // The oldest version knows only Google's own errors.
        if (recipe !== CLIENTS.googlePython[0]) tellsRefusals({ ...row, calls: REFUSED });
        tellsRefusals({ ...row, rig: () => native, calls: REFUSED, shown: true });
      });
    }
  }
});
