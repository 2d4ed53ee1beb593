import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { ProviderName } from '../../src/providers/registry.ts';
import { MOCK_TEXT } from '../support/clients/aimock.ts';
import { startClientsRig, type ClientsRig } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import type { ClientRecipe } from '../support/clients/recipe.ts';
import { runScript } from '../support/clients/run-script.ts';
import { filledIn, readSnippet, readSnippets } from '../support/clients/snippets.ts';
import { FAKE_AWS_CREDENTIAL } from '../support/fake-provider/bedrock.ts';
import { CLIENTS } from './versions.ts';

/** Pages are written for the newest version. */
function newest(versions: readonly ClientRecipe[]): ClientRecipe {
  const last = versions.at(-1);
  if (last === undefined) throw new Error('a client has a version');
  return last;
}

interface PageRow {
  readonly page: string;
  readonly heading: string;
  readonly client: ClientRecipe;
}

interface Page {
  readonly provider: ProviderName;
  /** The variable from which the page reads the provider's key, and its value. */
  readonly keys: Readonly<Record<string, string>>;
  /** The client by heading. */
  readonly snippets: Readonly<Record<string, readonly ClientRecipe[]>>;
}

const OPENAI = { provider: 'openai', keys: { OPENAI_API_KEY: 'sk-0123456789' } } as const;
const { accessKeyId, secretAccessKey, sessionToken } = FAKE_AWS_CREDENTIAL;
const AWS = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: `${secretAccessKey}:${sessionToken}` };
const {
  openaiPython,
  openaiJs,
  openaiGo,
  anthropicPython,
  anthropicJs,
  anthropicGo,
  ai,
  langchainPython,
  langchainJs,
} = CLIENTS;

/** The blocks that a reader copies from each page of a library; each prints the model's text. */
const PAGES: Readonly<Record<string, Page>> = {
  'openai.md': { ...OPENAI, snippets: { Python: openaiPython, JavaScript: openaiJs, Go: openaiGo } },
  'azure.md': {
    provider: 'azure',
    keys: { AZURE_OPENAI_API_KEY: '0123456789abcdef' },
    snippets: { Python: openaiPython, JavaScript: openaiJs },
  },
  'anthropic.md': {
    provider: 'anthropic',
    keys: { ANTHROPIC_API_KEY: 'sk-ant-0123456789' },
    snippets: { Python: anthropicPython, JavaScript: anthropicJs, Go: anthropicGo },
  },
  'google-genai.md': {
    provider: 'gemini',
    keys: { GEMINI_API_KEY: 'AIza0123456789' },
    snippets: {
      Python: CLIENTS.googlePython,
      JavaScript: CLIENTS.googleJs,
      'The older JavaScript package': CLIENTS.generativeAiJs,
      Go: CLIENTS.googleGo,
    },
  },
  'bedrock.md': {
    provider: 'bedrock',
    keys: AWS,
    snippets: { Python: CLIENTS.boto3, JavaScript: CLIENTS.awsJs },
  },
  'cohere.md': {
    provider: 'cohere',
    keys: { CO_API_KEY: 'co-0123456789' },
    snippets: { Python: CLIENTS.coherePython, JavaScript: CLIENTS.cohereJs },
  },
  'mistral.md': {
    provider: 'mistral',
    keys: { MISTRAL_API_KEY: 'mi-0123456789' },
    snippets: { Python: CLIENTS.mistralPython, JavaScript: CLIENTS.mistralJs },
  },
  'groq.md': {
    provider: 'groq',
    keys: { GROQ_API_KEY: 'gsk_0123456789' },
    snippets: { Python: CLIENTS.groqPython, JavaScript: CLIENTS.groqJs },
  },
  'together.md': {
    provider: 'together',
    keys: { TOGETHER_API_KEY: 'to-0123456789' },
    snippets: { Python: CLIENTS.togetherPython, JavaScript: CLIENTS.togetherJs },
  },
  'ollama.md': {
    provider: 'ollama',
    keys: {},
    snippets: { Python: CLIENTS.ollamaPython, JavaScript: CLIENTS.ollamaJs },
  },
  'litellm.md': { ...OPENAI, snippets: { Python: CLIENTS.litellm } },
  'langchain.md': { ...OPENAI, snippets: { Python: langchainPython, JavaScript: langchainJs } },
  'langchaingo.md': { ...OPENAI, snippets: { Go: CLIENTS.langchaingo } },
  'autogen.md': { ...OPENAI, snippets: { Python: CLIENTS.autogen } },
  'haystack.md': { ...OPENAI, snippets: { Python: CLIENTS.haystack } },
  'strands.md': { ...OPENAI, snippets: { Python: CLIENTS.strands } },
  'vercel-ai.md': { ...OPENAI, snippets: { OpenAI: ai } },
  'pydantic-ai.md': { ...OPENAI, snippets: { Python: CLIENTS.pydanticAi } },
  'openai-agents.md': {
    ...OPENAI,
    snippets: { Python: CLIENTS.openaiAgentsPython, JavaScript: CLIENTS.openaiAgentsJs },
  },
};

/** Blocks that are not programs: settings, and lines for a shell. */
const NO_PROGRAMS = ['yaml', 'sh'];

const ROWS: readonly (PageRow & Page)[] = Object.entries(PAGES).flatMap(([page, rest]) =>
  Object.entries(rest.snippets).map(([heading, clients]) => ({
    page,
    heading,
    client: newest(clients),
    ...rest,
  })),
);

const LANGUAGES = { npm: 'js', pypi: 'python', go: 'go' } as const;

describe('the examples on the pages of libraries', () => {
  let rig: ClientsRig;
  beforeAll(async () => {
    const azure = { deployments: { 'my-deployment': 'gpt-4o' } };
    // Only the fake provider supports Bedrock's signature and Gemini's v1.
    rig = await startClientsRig({ config: { providers: { azure } }, faked: ['bedrock', 'gemini'] });
    rig.fake.behave({ text: MOCK_TEXT });
  });
  afterAll(() => rig.close());

  it.each(Object.entries(PAGES))('%s shows no program that is not run here', async (page, { snippets }) => {
    const shown = (await readSnippets(page)).filter(({ language }) => !NO_PROGRAMS.includes(language));
    const run = [...Object.keys(snippets), ...(page === 'vercel-ai.md' ? ['Anthropic'] : [])];
    expect(shown.map(({ heading }) => heading).sort()).toEqual(run.sort());
  });

  function runs(page: string, heading: string, client: ClientRecipe, at: Pick<Page, 'provider' | 'keys'>) {
    describeClient(client, (installed) => {
      it(`${page}, ${heading}`, async () => {
        const { rawKey } = await rig.through(at.provider);
        const snippet = await readSnippet(page, heading, LANGUAGES[client.kind]);
        const result = await runScript(installed(), filledIn(snippet, rig.gateway.baseUrl), {
          env: { GATEWAY_KEY: rawKey, ...at.keys },
        });
        expect(result.stdout, result.stderr).toBe(`${MOCK_TEXT}\n`);
      });
    });
  }
  for (const { page, heading, client, ...at } of ROWS) runs(page, heading, client, at);
  runs('vercel-ai.md', 'Anthropic', newest(ai), {
    provider: 'anthropic',
    keys: { ANTHROPIC_API_KEY: 'sk-ant-0123456789' },
  });
});
