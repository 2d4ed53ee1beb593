import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { PROVIDER_NAMES, type ProviderName } from '../../../src/providers/registry.ts';
import { startGateway, type TestGateway, type TestKey } from '../../support/gateway.ts';
import type { Reply } from '../../support/http.ts';
import { startRecorder, type Recorder } from '../../support/recorder.ts';
import { askWith } from '../../support/ask-provider.ts';

/** docs/routing.md: the parts of a provider's answer that may reach a client, in every dialect. */

const CHAT = { model: 'flat', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] };
const PARTS = { contents: [{ parts: [{ text: 'hi' }] }], generationConfig: { maxOutputTokens: 100 } };
const CONVERSE = {
  messages: [{ role: 'user', content: [{ text: 'hi' }] }],
  inferenceConfig: { maxTokens: 100 },
};
const BEDROCK = '/bedrock/model/us.anthropic.claude-3-haiku-20240307-v1:0';

export interface Call {
  readonly path: string;
  /** A GET, if the provider has one. */
  readonly body?: object;
}

/** One call for each dialect, and a GET; all fifteen providers are among them. */
export const CALLS: Readonly<Record<string, Call>> = {
  openai: { path: '/openai/v1/chat/completions', body: CHAT },
  'openai, a stream': { path: '/openai/v1/chat/completions', body: { ...CHAT, stream: true } },
  'openai responses': {
    path: '/openai/v1/responses',
    body: { model: 'flat', max_output_tokens: 100, input: 'hi' },
  },
  'openai completions': {
    path: '/openai/v1/completions',
    body: { model: 'flat', max_tokens: 100, prompt: 'hi' },
  },
  'openai embeddings': { path: '/openai/v1/embeddings', body: { model: 'flat', input: 'hi' } },
  'openai models': { path: '/openai/v1/models' },
  anthropic: { path: '/anthropic/v1/messages', body: CHAT },
  gemini: { path: '/gemini/v1beta/models/flat:generateContent', body: PARTS },
  'gemini, a stream': { path: '/gemini/v1beta/models/flat:streamGenerateContent', body: PARTS },
  bedrock: { path: `${BEDROCK}/converse`, body: CONVERSE },
  'bedrock, a stream': { path: `${BEDROCK}/converse-stream`, body: CONVERSE },
  azure: { path: '/azure/openai/deployments/flat/chat/completions?api-version=2024-10-21', body: CHAT },
  mistral: { path: '/mistral/v1/chat/completions', body: CHAT },
  groq: { path: '/groq/v1/chat/completions', body: CHAT },
  cohere: { path: '/cohere/v2/chat', body: CHAT },
  deepseek: { path: '/deepseek/chat/completions', body: CHAT },
  together: { path: '/together/v1/chat/completions', body: CHAT },
  ollama: { path: '/ollama/api/chat', body: { ...CHAT, options: { num_predict: 100 } } },
  fireworks: { path: '/fireworks/v1/chat/completions', body: CHAT },
  xai: { path: '/xai/v1/chat/completions', body: CHAT },
  vllm: { path: '/vllm/v1/chat/completions', body: CHAT },
  openrouter: { path: '/openrouter/v1/chat/completions', body: CHAT },
};

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

let provider: Recorder;
let respond: Respond;
/** Masks nothing by itself; the other one runs with every switch that could pass an answer. */
export const gateways = {} as Record<'plain' | 'shadow', TestGateway>;
export let key: TestKey;

export function answerWith(next: Respond): void {
  respond = next;
}

/** A whole answer with this status and body. */
export function answer(
  status: number,
  headers: Readonly<Record<string, string | string[]>> = {},
  body: string | Buffer = '',
): void {
  answerWith((response) => {
    response.writeHead(status, headers).end(body);
  });
}

function callOf(name: string): Call {
  const call = CALLS[name];
  if (call === undefined) throw new Error(`no call ${name}`);
  return call;
}

export function ask(
  name: string,
  gateway: 'plain' | 'shadow' = 'plain',
  by: Pick<TestKey, 'rawKey'> = key,
): Promise<Reply> {
  const { path, body } = callOf(name);
  return askWith(gateways[gateway], by.rawKey, path, body);
}

export function useRig(): void {
  beforeAll(async () => {
    provider = await startRecorder((request, response) => respond(response, request));
    const config = (server: ConfigInput['server']): ConfigInput => ({
      server,
      providers: Object.fromEntries(PROVIDER_NAMES.map((name) => [name, { base_url: provider.url }])),
      pricing: {
        overrides: { flat: { input: 0, output: 1 } },
        unknown_model: 'free',
      },
    });
    gateways.plain = await startGateway({ config: config({ dlp: { enabled: true } }) });
    gateways.shadow = await startGateway({
      redis: gateways.plain.redis,
      config: config({ shadow_mode: true, error_format: 'native', dlp: { enabled: true } }),
    });
    const allowedProviders: ProviderName[] = [...PROVIDER_NAMES];
    key = await gateways.plain.createKey({ allowedProviders });
  });
  afterAll(async () => {
    await gateways.shadow.stop();
    await gateways.plain.stop();
    await provider.close();
  });
  beforeEach(() => {
    answer(200, { 'content-type': 'application/json' }, '{}');
  });
}
