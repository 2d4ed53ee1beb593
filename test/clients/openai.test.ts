import { afterAll, beforeAll, describe } from 'vitest';

import { startClientsRig, type ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import { sameAsDirect, tellsRefusals } from '../support/clients/rows.ts';
import { CLIENTS } from './versions.ts';

const CHAT = ['plain', 'stream', 'tool', 'tool_stream', 'embedding', 'models'];
const RESPONSES = ['response', 'response_stream'];
const REFUSED = ['plain', 'stream'];
const [oldestPython, newestPython] = CLIENTS.openaiPython;
/** It knows only OpenAI's own errors, which `native-refusals.test.ts` tests. */
const [, NATIVE_ALONE] = CLIENTS.openaiGo;

describe("OpenAI's clients", () => {
  let rig: ClientsRig;
  beforeAll(async () => {
    rig = await startClientsRig({
      config: { providers: { azure: { deployments: { 'gpt-4o': 'gpt-4o' } } } },
    });
  });
  afterAll(() => rig.close());

  for (const recipe of [oldestPython, newestPython]) {
    describeClient(recipe, (client) => {
      const row = { rig: () => rig, client, script: 'openai.py', provider: 'openai' } as const;
      // Responses were added after the oldest version.
      const calls = [...CHAT, 'tool_result', ...(recipe === newestPython ? RESPONSES : [])];
      sameAsDirect({ ...row, calls });
      sameAsDirect({ ...row, calls: REFUSED, auth: 'path' });
      tellsRefusals({ ...row, calls: REFUSED });
      sameAsDirect({ ...row, script: 'azure.py', provider: 'azure', calls: REFUSED });
    });
  }
  for (const recipe of CLIENTS.openaiJs) {
    describeClient(recipe, (client) => {
      const row = { rig: () => rig, client, script: 'openai.mjs', provider: 'openai' } as const;
      sameAsDirect({ ...row, calls: [...CHAT, ...RESPONSES] });
      sameAsDirect({ ...row, calls: REFUSED, auth: 'path' });
      tellsRefusals({ ...row, calls: REFUSED });
      sameAsDirect({ ...row, script: 'azure.mjs', provider: 'azure', calls: REFUSED });
    });
  }
  for (const recipe of CLIENTS.openaiGo) {
    describeClient(recipe, (client) => {
      const row = {
        rig: () => rig,
        client,
        script: 'openai.go',
        provider: 'openai',
        calls: REFUSED,
      } as const;
      sameAsDirect(row);
      if (recipe !== NATIVE_ALONE) tellsRefusals(row);
    });
  }
});
