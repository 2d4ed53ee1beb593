import { afterAll, beforeAll, describe } from 'vitest';

import { MOCK_TEXT, MOCK_TOOL } from '../support/clients/aimock.ts';
import { startClientsRig, type ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import { sameAsDirect, tellsRefusals } from '../support/clients/rows.ts';
import { FAKE_AWS_CREDENTIAL } from '../support/fake-provider/bedrock.ts';
import { CLIENTS } from './versions.ts';

const { accessKeyId, secretAccessKey, sessionToken } = FAKE_AWS_CREDENTIAL;
/** The gateway's credential for signing. */
const providerKey = [accessKeyId, secretAccessKey, sessionToken].join(':');
const CALLS = ['plain', 'stream', 'tool', 'invoke', 'invoke_stream'];

describe("Amazon's clients for Bedrock", () => {
  let rig: ClientsRig;
  beforeAll(async () => {
    // Aimock's streams contain empty blocks, which boto3 rejects; and ours checks the signature.
    rig = await startClientsRig({ faked: ['bedrock'] });
    rig.fake.behave(({ body }) => (body.includes('weather') ? { tool: MOCK_TOOL } : { text: MOCK_TEXT }));
  });
  afterAll(() => rig.close());

  for (const [recipes, script] of [
    [CLIENTS.boto3, 'boto3.py'],
    [CLIENTS.awsJs, 'aws.mjs'],
  ] as const) {
    for (const recipe of recipes) {
      describeClient(recipe, (client) => {
        const row = { rig: () => rig, client, script, provider: 'bedrock', providerKey } as const;
        sameAsDirect({ ...row, calls: CALLS });
        tellsRefusals({ ...row, calls: ['plain', 'stream'] });
      });
    }
  }
});
