import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { PROVIDER_NAMES } from '../../src/providers/provider.ts';
import type { ProviderName } from '../../src/providers/provider.ts';
import { makeCalls } from '../support/clients/calls.ts';
import type { CallOutcome } from '../support/clients/calls.ts';
import { startClientsRig } from '../support/clients/clients-rig.ts';
import type { ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import type { InstalledClient } from '../support/clients/install.ts';
import { go, npm, pypi } from '../support/clients/recipe.ts';
import type { ClientRecipe } from '../support/clients/recipe.ts';
import { createRandom } from '../support/random.ts';
import { makeSecret } from '../unit/detectors/secret-samples.ts';

/**
 * docs/clients/streams.md, a test a row: a stream that is cut is an error to whoever reads it, and one that only ends
 * with comments of the gateway's is read to its end.
 */

const SECRET = makeSecret('aws_access_key_id', createRandom(8)).text;
const BEFORE = 'The key that you asked for is ';
const LEAKING = `${BEFORE}${SECRET}, and do not tell anybody.`;
const PERSONAL = 'Write to jane.doe@mail.example.com or call +1 415 555 2671 now.';
const MASKED = 'Write to *** or call *** now.';

/** What a program's user reads of a cut: why, in the words of the gateway … */
const WHY = /the answer was withheld: it holds secrets/;
/** … or that the stream was none, from clients that do not read errors in one. */
const MISTRAL = /invalid_type|validation error|ZodError/i;
const NO_JSON = /JSON|parse stream/;

interface Row {
  readonly client: ClientRecipe;
  readonly script: string;
  /** Calls of the script, with whose API they speak and what of a cut is read. */
  readonly calls: readonly (readonly [call: string, provider: ProviderName, says: RegExp])[];
}

const OLD_HTTPX = 'httpx==0.27.2';
const python = (client: ClientRecipe, ...calls: Row['calls']): Row => ({ client, script: 'cuts.py', calls });
const node = (client: ClientRecipe, ...calls: Row['calls']): Row => ({ client, script: 'cuts.mjs', calls });

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

const ROWS: readonly Row[] = [
  python(pypi('openai', '1.6.1', [OLD_HTTPX]), ['openai_chat', 'openai', WHY]),
  python(pypi('openai', '3.54.0'), ...OPENAI, ['openai_completions', 'openai', WHY]),
  python(pypi('anthropic', '0.28.0', [OLD_HTTPX]), ['anthropic', 'anthropic', WHY]),
  python(pypi('anthropic', '2.12.0'), ['anthropic', 'anthropic', WHY]),
  python(pypi('google-genai', '1.0.0', [OLD_HTTPX]), ...GOOGLE_PYTHON(NO_JSON)),
  python(pypi('google-genai', '1.40.0'), ...GOOGLE_PYTHON(WHY)),
  python(pypi('google-genai', '3.4.0'), ...GOOGLE_PYTHON(WHY)),
  python(pypi('cohere', '5.13.0', [OLD_HTTPX]), ...COHERE),
  python(pypi('cohere', '7.3.1'), ...COHERE),
  python(pypi('mistralai', '1.2.0', [OLD_HTTPX]), ['mistral', 'mistral', MISTRAL]),
  python(pypi('mistralai', '3.7.0'), ['mistral', 'mistral', MISTRAL]),
  python(pypi('groq', '1.7.0'), ['groq', 'groq', WHY]),
  python(pypi('together', '3.1.1'), ['together', 'together', WHY]),
  python(pypi('ollama', '0.6.3'), ['ollama', 'ollama', WHY]),
  python(
    pypi('litellm', '1.74.0'),
    ['litellm_openai', 'openai', WHY],
    ['litellm_anthropic', 'anthropic', WHY],
    ['litellm_gemini', 'gemini', WHY],
    ['litellm_mistral', 'mistral', WHY],
    ['litellm_groq', 'groq', WHY],
  ),
  python(
    pypi('langchain-openai', '1.7.4', ['langchain-anthropic==1.7.10', 'langchain-google-genai==4.4.2']),
    ['langchain_openai', 'openai', WHY],
    ['langchain_anthropic', 'anthropic', WHY],
    ['langchain_google', 'gemini', WHY],
  ),
  node(npm('openai', '4.104.0'), ...OPENAI),
  node(npm('openai', '7.57.0'), ...OPENAI),
  node(npm('@anthropic-ai/sdk', '0.24.0'), ['anthropic', 'anthropic', /./]),
  node(npm('@anthropic-ai/sdk', '1.12.0'), ['anthropic', 'anthropic', WHY]),
  node(npm('@google/genai', '1.32.0'), ['google', 'gemini', NO_JSON]),
  node(npm('@google/genai', '3.1.0'), ['google', 'gemini', WHY]),
  node(npm('@google/generative-ai', '0.24.1'), ['generative_ai', 'gemini', NO_JSON]),
  node(npm('cohere-ai', '7.14.0'), ...COHERE),
  node(npm('cohere-ai', '8.1.0'), ...COHERE),
  node(npm('@mistralai/mistralai', '1.3.0', ['zod@3.23.8']), ['mistral', 'mistral', MISTRAL]),
  node(npm('@mistralai/mistralai', '2.7.0'), ['mistral', 'mistral', MISTRAL]),
  node(npm('groq-sdk', '1.6.0'), ['groq', 'groq', WHY]),
  node(npm('together-ai', '0.52.0'), ['together', 'together', WHY]),
  node(npm('ollama', '0.6.4'), ['ollama', 'ollama', WHY]),
  node(
    npm('ai', '7.0.173', [
      '@ai-sdk/openai@4.0.118',
      '@ai-sdk/anthropic@4.0.105',
      '@ai-sdk/google@4.0.121',
      '@ai-sdk/mistral@4.0.87',
      '@ai-sdk/groq@4.0.84',
      '@ai-sdk/cohere@4.0.52',
      '@ai-sdk/azure@4.0.85',
      'zod@4.6.7',
    ]),
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
  {
    client: go('google.golang.org/genai', 'v1.77.0'),
    script: 'cuts-google.go',
    calls: [['google', 'gemini', WHY]],
  },
];

describe('a stream through other people’s clients', () => {
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

  /** A key a call: a leak locks it. */
  async function call(
    client: InstalledClient,
    script: string,
    [name, provider]: Row['calls'][number],
    text: string,
  ): Promise<CallOutcome | undefined> {
    rig.fake.behave({ text });
    const through = await rig.through(provider, { auth: 'path' });
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
            ? outcome.error.message
            : /<ERROR: .*>$/.exec(String(outcome?.value))?.[0];
        expect(told ?? JSON.stringify(outcome)).toMatch(row[2]);
        expect(told, 'an end like any other').toBeDefined();
        expect(JSON.stringify(outcome)).not.toContain(SECRET.slice(0, 8));
      });

      it.each(calls)('%s of %s: comments behind it are no trouble', async (...row) => {
        const outcome = await call(installed(), script, row, PERSONAL);
        expect(outcome).toMatchObject({ value: expect.stringContaining(MASKED) as string });
      });
    });
  }
});
