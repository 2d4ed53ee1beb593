import { describe } from 'vitest';
import { TRANSPORTS, useSdkRig } from '../../support/sdk-rig.ts';
import { anthropic } from './plain/anthropic.ts';
import { bedrock } from './plain/bedrock.ts';
import { cohere } from './plain/cohere.ts';
import { google } from './plain/google.ts';
import { mistral } from './plain/mistral.ts';
import { openAi } from './plain/openai.ts';
import { streams } from './plain/streams.ts';

/** SDKs through one gateway with default settings. */
describe.each(TRANSPORTS)('$name', (transport) => {
  const rig = useSdkRig(transport);
  describe('the Anthropic SDK', () => anthropic(rig));
  describe('the AWS SDK for Bedrock', () => bedrock(rig));
  describe('the Cohere SDK', () => cohere(rig));
  describe('the Google SDK', () => google(rig));
  describe('the Mistral SDK', () => mistral(rig));
  describe('the OpenAI SDK', () => openAi(rig));
  describe('streams', () => streams(rig));
});
