import { afterAll, beforeAll, describe } from 'vitest';

import { startClientsRig } from '../support/clients/clients-rig.ts';
import type { ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import { sameAsDirect, tellsRefusals } from '../support/clients/rows.ts';
import { CLIENTS } from './versions.ts';

const CHAT = ['plain', 'stream', 'tool', 'tool_stream', 'embedding', 'models'];
const RESPONSES = ['response', 'response_stream'];
const [oldestPython, newestPython] = CLIENTS.openaiPython;

describe("OpenAI's clients", () => {
  let rig: ClientsRig;
  beforeAll(async () => {
    rig = await startClientsRig();
  });
  afterAll(() => rig.close());

  for (const recipe of [oldestPython, newestPython]) {
    describeClient(recipe, (client) => {
      // Responses came later than the oldest.
      const calls = [...CHAT, 'tool_result', ...(recipe === newestPython ? RESPONSES : [])];
      sameAsDirect({ rig: () => rig, client, script: 'openai.py', provider: 'openai', calls });
      tellsRefusals({
        rig: () => rig,
        client,
        script: 'openai.py',
        provider: 'openai',
        calls: ['plain', 'stream'],
      });
    });
  }
  for (const recipe of CLIENTS.openaiJs) {
    describeClient(recipe, (client) => {
      const calls = [...CHAT, ...RESPONSES];
      sameAsDirect({ rig: () => rig, client, script: 'openai.mjs', provider: 'openai', calls });
      tellsRefusals({
        rig: () => rig,
        client,
        script: 'openai.mjs',
        provider: 'openai',
        calls: ['plain', 'stream'],
      });
    });
  }
});
