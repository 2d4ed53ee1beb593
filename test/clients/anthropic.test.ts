import { afterAll, beforeAll, describe } from 'vitest';

import { startClientsRig, type ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import { sameAsDirect, tellsRefusals } from '../support/clients/rows.ts';
import { CLIENTS } from './versions.ts';

const CALLS = ['plain', 'stream', 'helper', 'tool', 'tool_stream'];
const REFUSED = ['plain', 'stream'];

describe("Anthropic's clients", () => {
  let rig: ClientsRig;
  beforeAll(async () => {
    rig = await startClientsRig();
  });
  afterAll(() => rig.close());

  for (const [recipes, script] of [
    [CLIENTS.anthropicPython, 'anthropic.py'],
    [CLIENTS.anthropicJs, 'anthropic.mjs'],
    [CLIENTS.anthropicGo, 'anthropic.go'],
  ] as const) {
    for (const recipe of recipes) {
      describeClient(recipe, (client) => {
        const row = { rig: () => rig, client, script, provider: 'anthropic' } as const;
        sameAsDirect({ ...row, calls: recipe.kind === 'go' ? REFUSED : CALLS });
        sameAsDirect({ ...row, calls: REFUSED, auth: 'path' });
        tellsRefusals({ ...row, calls: REFUSED });
      });
    }
  }
});
