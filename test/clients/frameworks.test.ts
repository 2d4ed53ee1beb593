import { afterAll, beforeAll, describe } from 'vitest';

import type { ProviderName } from '../../src/providers/registry.ts';
import { startClientsRig, type ClientsRig, type EndpointOptions } from '../support/clients/clients-rig.ts';
import { describeClient } from '../support/clients/describe-client.ts';
import type { ClientRecipe } from '../support/clients/recipe.ts';
import { sameAsDirect, tellsRefusals } from '../support/clients/rows.ts';
import { CLIENTS } from './versions.ts';

const GPT = 'gpt-4o';
const CLAUDE = 'claude-3-5-haiku-20241022';
const GEMINI = 'gemini-2.0-flash';
const CALLS = ['plain', 'stream', 'tool'];

/** A framework's name for a model, its provider, and the path that the framework expects after the provider's segment. */
type ModelRow = readonly [model: string, provider: ProviderName, basePath: string, options?: ModelOptions];

interface ModelOptions {
  /** Its calls; fewer than all if the framework rejects the mock's own answers. */
  readonly calls?: readonly string[];
  /** The framework exposes no status of this provider's errors. */
  readonly silent?: true;
  /** `path` if the framework sends no key to this provider. */
  readonly auth?: EndpointOptions['auth'];
}

interface FrameworkRow {
  readonly recipe: ClientRecipe;
  readonly script: string;
  readonly models: readonly ModelRow[];
}

const [oldLitellm] = CLIENTS.litellm;
const [oldLangchain, newLangchain] = CLIENTS.langchainPython;
const [oldAi, newAi] = CLIENTS.ai;
const AI_MODELS: readonly ModelRow[] = [
  [`openai:${GPT}`, 'openai', '/v1'],
  [`chat:${GPT}`, 'openai', '/v1'],
  [`anthropic:${CLAUDE}`, 'anthropic', '/v1'],
  [`google:${GEMINI}`, 'gemini', '/v1beta'],
];
const ROWS: readonly FrameworkRow[] = [
  ...CLIENTS.litellm.map((recipe) => ({
    recipe,
    script: 'litellm.py',
    models: [
      [`openai/${GPT}`, 'openai', '/v1'],
      [`anthropic/${CLAUDE}`, 'anthropic', ''],
      [
        'ollama_chat/llama3.2',
        'ollama',
        '',
        { calls: ['plain', 'stream'], silent: true, auth: recipe === oldLitellm ? 'path' : 'header' },
      ],
    ] as const,
  })),
  {
    recipe: oldLangchain,
    script: 'langchain.py',
    models: [
      [GPT, 'openai', ''],
      [CLAUDE, 'anthropic', ''],
    ],
  },
  ...[newLangchain, ...CLIENTS.langchainJs].map((recipe) => ({
    recipe,
    script: recipe.kind === 'npm' ? 'langchain.mjs' : 'langchain.py',
    models: [
      [GPT, 'openai', ''],
      [CLAUDE, 'anthropic', ''],
      [GEMINI, 'gemini', ''],
    ] as const,
  })),
  {
    recipe: oldAi,
    script: 'ai.mjs',
    models: [
      [`openai:${GPT}`, 'openai', '/v1', { calls: ['stream'] }],
      [`chat:${GPT}`, 'openai', '/v1'],
      [`anthropic:${CLAUDE}`, 'anthropic', '/v1'],
      [`google:${GEMINI}`, 'gemini', '/v1beta', { calls: ['plain', 'stream'] }],
    ],
  },
  {
    recipe: newAi,
    script: 'ai.mjs',
    models: [
      ...AI_MODELS,
      ['mistral:mistral-small-latest', 'mistral', '/v1'],
      ['groq:llama-3.1-8b-instant', 'groq', '/v1'],
      ['cohere:command-r-08-2024', 'cohere', '/v2', { calls: ['plain', 'tool'] }],
    ],
  },
  ...CLIENTS.pydanticAi.map((recipe) => ({
    recipe,
    script: 'pydantic-ai.py',
    models: [
      [GPT, 'openai', '/v1'],
      [CLAUDE, 'anthropic', ''],
      [GEMINI, 'gemini', ''],
    ] as const,
  })),
];

describe('frameworks', () => {
  let rig: ClientsRig;
  beforeAll(async () => {
    rig = await startClientsRig();
  });
  afterAll(() => rig.close());

  for (const { recipe, script, models } of ROWS) {
    describeClient(recipe, (client) => {
      for (const [MODEL, provider, BASE_PATH, { calls = CALLS, silent, auth = 'header' } = {}] of models) {
        describe(MODEL, () => {
          const row = { rig: () => rig, client, script, provider, auth, env: { MODEL, BASE_PATH } };
          sameAsDirect({ ...row, calls });
          if (silent !== true) tellsRefusals({ ...row, calls: ['plain', 'stream'] });
        });
      }
    });
  }
  for (const recipe of [...CLIENTS.openaiAgentsPython, ...CLIENTS.openaiAgentsJs]) {
    describeClient(recipe, (client) => {
      const python = recipe.kind === 'pypi';
      const script = python ? 'openai-agents.py' : 'openai-agents.mjs';
      const row = { rig: () => rig, client, script, provider: 'openai' } as const;
      sameAsDirect({ ...row, calls: ['plain', 'stream', 'tool', ...(python ? ['chat', 'chat_tool'] : [])] });
      tellsRefusals({ ...row, calls: ['plain'] });
    });
  }
});
