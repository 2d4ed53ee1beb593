import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PROVIDER_NAMES, type ProviderName } from '../../src/providers/registry.ts';
import { makeCalls, type CallOutcome } from '../support/clients/calls.ts';
import { startClientsRig, type ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import type { InstalledClient } from '../support/clients/install.ts';
import { pypi, type ClientRecipe } from '../support/clients/recipe.ts';
import { createRandom } from '../support/random.ts';
import { FAKE_AWS_CREDENTIAL } from '../support/fake-provider/bedrock.ts';
import { makeSecret } from '../unit/detectors/secrets/samples.ts';
import { CLIENTS } from './versions.ts';

/**
 * docs/clients/streams.md, one test per row: a cut stream is an error for its reader, and one that just ends
 * with comments from the gateway is read to its end.
 */

const SECRET = makeSecret('aws_access_key_id', createRandom(8)).text;
const BEFORE = 'The key that you asked for is ';
const LEAKING = `${BEFORE}${SECRET}, and do not tell anybody.`;
const PERSONAL = 'Write to jane.doe@mail.example.com or call +1 415 555 2671 now.';
const MASKED = 'Write to *** or call *** now.';
const { accessKeyId, secretAccessKey, sessionToken } = FAKE_AWS_CREDENTIAL;
const AWS = [accessKeyId, secretAccessKey, sessionToken].join(':');

/** A cut as a program's user reads it: the reason, in the gateway's words … */
const WHY = /the answer was withheld: it contains secrets/;
/** … or that the stream was invalid, in clients that do not read errors in one. */
const MISTRAL = /invalid_type|validation error|ZodError/i;
const NO_JSON = /JSON|parse stream/;

interface Row {
  readonly client: ClientRecipe;
  readonly script: string;
  /** Calls of the script, with their API and what is read of a cut. */
  readonly calls: readonly (readonly [call: string, provider: ProviderName, says: RegExp])[];
}

const python = (client: ClientRecipe, ...calls: Row['calls']): Row => ({ client, script: 'cuts.py', calls });
const node = (client: ClientRecipe, ...calls: Row['calls']): Row => ({ client, script: 'cuts.mjs', calls });
/** The oldest and the newest. */
const both = (clients: readonly ClientRecipe[], row: typeof python, ...calls: Row['calls']): readonly Row[] =>
  clients.map((client) => row(client, ...calls));

const OPENAI = [
  ['openai_chat', 'openai', WHY],
  ['openai_responses', 'openai', WHY],
] as const;
const COHERE = [
  ['cohere_v2', 'cohere', WHY],
  ['cohere_v1', 'cohere', WHY],
] as const;
const GOOGLE_PYTHON = (says: RegExp): Row['calls'] => [
  ['google', 'gemini', says],
  ['google_async', 'gemini', says],
];
const LITELLM = [
  ['litellm_openai', 'openai', WHY],
  ['litellm_anthropic', 'anthropic', WHY],
  ['litellm_gemini', 'gemini', WHY],
] as const;
const BEDROCK = [
  ['stream', 'bedrock', WHY],
  ['invoke_stream', 'bedrock', WHY],
] as const;

const [openaiPython1, openaiPython3] = CLIENTS.openaiPython;
const [googlePython1, googlePython3] = CLIENTS.googlePython;
const [litellm74, litellm106] = CLIENTS.litellm;
const [, langchain] = CLIENTS.langchainPython;
const [anthropicJs0, anthropicJs1] = CLIENTS.anthropicJs;
const [googleJs1, googleJs3] = CLIENTS.googleJs;
const [, ai] = CLIENTS.ai;
const [, groqPython] = CLIENTS.groqPython;
const [, groqJs] = CLIENTS.groqJs;
const [, togetherPython] = CLIENTS.togetherPython;
const [, togetherJs] = CLIENTS.togetherJs;
const [, ollamaPython] = CLIENTS.ollamaPython;
const [, ollamaJs] = CLIENTS.ollamaJs;
const [, googleGo] = CLIENTS.googleGo;

const ROWS: readonly Row[] = [
  // It shows its own sentence; ours is in the exception's `body`.
  python(openaiPython1, ['openai_chat', 'openai', /: An error occurred during streaming$/]),
  python(openaiPython3, ...OPENAI, ['openai_completions', 'openai', WHY]),
  ...both(CLIENTS.anthropicPython, python, ['anthropic', 'anthropic', WHY]),
  python(googlePython1, ...GOOGLE_PYTHON(NO_JSON)),
  python(pypi('google-genai', '1.40.0'), ...GOOGLE_PYTHON(WHY)),
  python(googlePython3, ...GOOGLE_PYTHON(WHY)),
  ...both(CLIENTS.coherePython, python, ...COHERE),
  ...both(CLIENTS.mistralPython, python, ['mistral', 'mistral', MISTRAL]),
  python(groqPython, ['groq', 'groq', WHY]),
  python(togetherPython, ['together', 'together', WHY]),
  python(ollamaPython, ['ollama', 'ollama', WHY]),
  // The older one reads chunks of these two without checking for an error.
  python(
    litellm74,
    ...LITELLM,
    ['litellm_groq', 'groq', /GroqException - 'id'$/],
    ['litellm_mistral', 'mistral', /MistralException - 'id'$/],
  ),
  python(litellm106, ...LITELLM, ['litellm_groq', 'groq', WHY], ['litellm_mistral', 'mistral', WHY]),
  python(
    langchain,
    ['langchain_openai', 'openai', WHY],
    ['langchain_anthropic', 'anthropic', WHY],
    ['langchain_google', 'gemini', WHY],
  ),
  ...CLIENTS.boto3.map((client) => ({ client, script: 'boto3.py', calls: BEDROCK })),
  ...both(CLIENTS.openaiJs, node, ...OPENAI),
  node(anthropicJs0, ['anthropic', 'anthropic', /: Connection error\.$/]),
  node(anthropicJs1, ['anthropic', 'anthropic', WHY]),
  node(googleJs1, ['google', 'gemini', NO_JSON]),
  node(googleJs3, ['google', 'gemini', WHY]),
  ...both(CLIENTS.generativeAiJs, node, ['generative_ai', 'gemini', NO_JSON]),
  ...both(CLIENTS.cohereJs, node, ...COHERE),
  ...both(CLIENTS.mistralJs, node, ['mistral', 'mistral', MISTRAL]),
  node(groqJs, ['groq', 'groq', WHY]),
  node(togetherJs, ['together', 'together', WHY]),
  node(ollamaJs, ['ollama', 'ollama', WHY]),
  ...CLIENTS.awsJs.map((client) => ({ client, script: 'aws.mjs', calls: BEDROCK })),
  node(
    ai,
    ['ai_openai_chat', 'openai', WHY],
    ['ai_openai_responses', 'openai', WHY],
    ['ai_anthropic', 'anthropic', WHY],
    ['ai_google', 'gemini', WHY],
    ['ai_mistral', 'mistral', WHY],
    ['ai_groq', 'groq', WHY],
    ['ai_cohere', 'cohere', WHY],
    ['ai_azure_chat', 'azure', WHY],
    ['ai_azure_responses', 'azure', WHY],
  ),
  { client: googleGo, script: 'cuts-google.go', calls: [['google', 'gemini', WHY]] },
];

/** The text that a call returns: itself, or in pieces among its events. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && /^(value|text)$/.test(name) ? [member] : textsIn(member),
  );
}

describe('a stream through other makers’ clients', () => {
  let rig: ClientsRig;
  beforeAll(async () => {
    rig = await startClientsRig({
      config: {
        server: { dlp: { enabled: true } },
        providers: { azure: { deployments: { 'gpt-4o': 'gpt-4o' } } },
      },
      faked: PROVIDER_NAMES,
    });
  });
  afterAll(() => rig.close());

  /** One key per call: a leak locks it. */
  async function call(
    client: InstalledClient,
    script: string,
    [name, provider]: Row['calls'][number],
    text: string,
  ): Promise<CallOutcome | undefined> {
    rig.fake.behave({ text });
    // Amazon's clients sign with a credential that the gateway does not accept.
    const through = await rig.through(
      provider,
      provider === 'bedrock' ? { providerKey: AWS } : { auth: 'path' },
    );
    const outcomes = await makeCalls(client, script, through, [name]);
    return outcomes[name];
  }

  for (const { client, script, calls } of ROWS) {
    describeClient(client, (installed) => {
      it.each(calls)('%s of %s: a cut is an error', async (...row) => {
        const outcome = await call(installed(), script, row, LEAKING);
        // Cohere's clients raise nothing in a stream: its end says ERROR, and why.
        const told =
          outcome !== undefined && 'error' in outcome
            ? `${outcome.error.type}: ${outcome.error.message}`
            : /<ERROR: .*>$/.exec(String(outcome?.value))?.[0];
        expect(told ?? JSON.stringify(outcome)).toMatch(row[2]);
        expect(told, 'an end like any other').toBeDefined();
        expect(JSON.stringify(outcome)).not.toContain(SECRET.slice(0, 8));
      });

      it.each(calls)('%s of %s: comments after it are harmless', async (...row) => {
        const outcome = await call(installed(), script, row, PERSONAL);
        expect(outcome).toHaveProperty('value');
        const text = textsIn(outcome).join('');
        // It drops all but the first event of the last packet (docs/clients/streams.md).
        if (client === CLIENTS.mistralJs[0]) expect(text).toContain('Write to ***');
        else expect(text).toContain(MASKED);
      });
    });
  }
});
