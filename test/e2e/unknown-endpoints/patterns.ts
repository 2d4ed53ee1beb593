import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.ts';
import { gateway, provider } from './rig.ts';
import { askWith } from '../../support/ask-provider.ts';

export function patterns(): void {
  let listing: TestGateway;
  let all: string;
  const providers = ['openai', 'gemini', 'azure', 'openrouter', 'vllm', 'ollama'] as const;

  beforeAll(async () => {
    listing = await startGateway({
      redis: gateway.redis,
      config: {
        providers: Object.fromEntries(providers.map((name) => [name, { base_url: provider.url }])),
        proxy: {
          unknown_endpoints: [
            'POST /openai/v1/assistants',
            'GET /openai/v1/files/*/content',
            ...['gemini', 'azure', 'openrouter', 'vllm', 'ollama'].flatMap((name) => [
              `GET /${name}/**`,
              `POST /${name}/**`,
            ]),
          ],
        },
      },
    });
    ({ rawKey: all } = await listing.createKey({ allowedProviders: [...providers] }));
  });
  afterAll(() => listing.stop());

  const request = (to: TestGateway, method: 'GET' | 'POST', path: string, body: object = { words: 'x' }) =>
    askWith(to, all, path, method === 'POST' ? body : undefined);

  it.each([
    ['POST', '/openai/v1/assistants'],
    ['GET', '/openai/v1/files/file-1/content'],
    ['POST', '/gemini/v1beta/models/imagen-4:predict'],
    ['POST', '/azure/openai/deployments/whisper/audio/transcriptions?api-version=2024-10-21'],
    ['GET', '/openrouter/v1/generation?limit=1'],
    ['POST', '/vllm/tokenize'],
    ['POST', '/vllm/v1/audio/transcriptions'],
    ['POST', '/ollama/api/show'],
  ] as const)('opens its matches: %s %s', async (method, path) => {
    const before = provider.requests.length;
    await request(listing, method, path);
    expect(provider.requests.slice(before).map((one) => `${one.method} ${one.path}${one.query}`)).toEqual([
      `${method} ${path.replace(/^\/[a-z]+/, '')}`,
    ]);
  });

  it.each([
    ['GET', '/openai/v1/assistants'],
    ['POST', '/openai/v1/assistants/a'],
    ['POST', '/openai/v1/files'],
    ['GET', '/openai/v1/files'],
    ['GET', '/openai/v1/files/a/b/content'],
    ['GET', '/openai/v1/files//content'],
  ] as const)('opens nothing else: %s %s', async (method, path) => {
    const before = provider.requests.length;
    expect((await request(listing, method, path)).status).toBe(403);
    expect(provider.requests.length).toBe(before);
  });

  const SPELLINGS = [
    '/v1/chat/completions;a',
    '/v1/chat/completions;a=b',
    '/v1/chat;x/completions',
    '/v1/Chat/Completions',
    '/V1/CHAT/COMPLETIONS',
    '/v1/chat/completions/',
    '/v1/chat/completions//',
    '/v1//chat/completions/',
    '/v1/chat/completions.',
    '/v1/chat/completions.json',
    '/v1/chat/completions%20',
    '/v1/chat/completions%3Ba',
    '/v1/chat/completions%3F',
    '/v1/%63hat/completions',
    '/v1/chat/%43ompletions',
    '/v1/chat/completions,',
    '/v1/chat/completions*',
    '/v1/chat/completions:x',
    '/v1/chat/completions~',
    '/v1/chat/completions@x',
    '/v1/chat/completions$',
    '/v1/v1/chat/completions',
    '/chat/completions',
    '/v2/chat/completions',
    '/openai/v1/chat/completions',
  ];
  it.each([
    ...SPELLINGS.flatMap((path) => [`/openrouter${path}`, `/openai${path}`]),
    '/vllm/V1/Completions',
    '/ollama/API/chat',
    '/ollama/api/chat;x',
    '/gemini/v1beta/models/gemini-2.5-flash:GenerateContent',
    '/gemini/v1beta/models/gemini-2.5-flash:generatecontent',
    '/gemini/v1beta/models/gemini-2.5-flash:generateContent;a',
    '/gemini/v1beta/Models/gemini-2.5-flash:generateContent',
    '/gemini/v1beta/models/gemini-2.5-flash:generateContent?fields=candidates',
    '/azure/OpenAI/deployments/d/chat/completions',
    '/azure/openai/deployments/d/chat/completions/',
    '/azure/openai/deployments/d/chat/completions?api-version=1&API-VERSION=2',
  ])('never opens another spelling of a known path: %s', async (path) => {
    const before = provider.requests.length;
    for (const to of [listing, gateway]) {
      const { status } = await request(to, 'POST', path);
      expect([400, 403, 404]).toContain(status);
    }
    expect(provider.requests.length).toBe(before);
  });

  it.each([
    ['POST', '/ollama/api/pull'],
    ['POST', '/ollama/api/push'],
    ['POST', '/ollama/api/create'],
    ['POST', '/ollama/api/copy'],
    ['POST', '/ollama/api/delete'],
    ['POST', '/ollama/api/blobs/sha256:29fdb92e57cf0827ded04ae6461b5931d01fa595843f55d36f5b275a52087dd2'],
    ['POST', '/ollama/api/Pull'],
    ['POST', '/ollama/api/me'],
    ['GET', '/ollama/api/anything-new'],
    ['POST', '/vllm/v1/load_lora_adapter'],
    ['POST', '/vllm/v1/unload_lora_adapter'],
    ['GET', '/vllm/metrics'],
    ['POST', '/vllm/sleep'],
    ['POST', '/vllm/wake_up'],
    ['POST', '/vllm/reset_prefix_cache'],
    ['GET', '/vllm/server_info'],
    ['POST', '/vllm/collective_rpc'],
    ['POST', '/vllm/start_profile'],
    ['GET', '/vllm/anything-new'],
    ['POST', '/vllm/invocations'],
    ['GET', '/openrouter/v1/keys'],
    ['POST', '/openrouter/v1/keys'],
    ['GET', '/openrouter/v1/credits'],
    ['GET', '/openrouter/v1/key'],
    ['POST', '/gemini/v1beta/tunedModels'],
    ['POST', '/gemini/v1beta/tunedModels/t:transferOwnership'],
    ['POST', '/gemini/v1beta/corpora/c/permissions'],
    ['POST', '/gemini/v1alpha/auth_tokens'],
    ['POST', '/azure/openai/fine_tuning/jobs'],
    ['GET', '/azure/openai/deployments'],
    ['POST', '/azure/openai/realtimeapi/sessions/../../realtime/client_secrets'],
    ['POST', '/azure/openai/v1/realtime/client_secrets'],
  ] as const)('never opens a path that manages a provider: %s %s', async (method, path) => {
    const before = provider.requests.length;
    expect([400, 403]).toContain((await request(listing, method, path)).status);
    expect(provider.requests.length).toBe(before);
  });

  it.each([
    ['GET', '/openai/v1/organization/admin_api_keys'],
    ['POST', '/openai/v1/organization/projects'],
    ['GET', '/openai/v1/organization/usage/completions'],
    ['POST', '/openai/v1/fine_tuning/jobs'],
    ['POST', '/openai/v1/realtime/sessions'],
    ['POST', '/openai/v1/chatkit/sessions'],
    ['POST', '/openai/v1/Organization/Projects'],
  ] as const)('nor does `allow`: %s %s', async (method, path) => {
    const before = provider.requests.length;
    expect([403, 404]).toContain((await request(gateway, method, path)).status);
    expect(provider.requests.length).toBe(before);
  });

  it.each<[string, object]>([
    ['an assistant', { model: 'm', tools: [{ type: 'code_interpreter' }] }],
    [
      'beside a function',
      { tools: [{ type: 'file_search' }, { type: 'function', function: { name: 'f' } }] },
    ],
    [
      'an attachment of a message',
      { thread: { messages: [{ attachments: [{ tools: [{ type: 'file_search' }] }] }] } },
    ],
    ['a choice', { tool_choice: { type: 'code_interpreter' } }],
    [
      'requests of a batch',
      { requests: [{ params: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] } }] },
    ],
    ['a tool of Google’s', { batch: [{ request: { tools: [{ googleSearch: {} }] } }] }],
    ['in snake case', { tools: { google_search: {} } }],
    ['a switch', { a: { b: { web_search_options: {} } } }],
    ['servers', { agent: { mcp_servers: [{ url: 'https://x.example' }] } }],
    ['a name alone', { tools: ['web_search'] }],
    ['in other case', { Tools: [{ type: 'mcp', server_url: 'https://x.example' }] }],
    ['an unknown type', { tools: [{ type: 'brand_new' }] }],
  ])('a hosted tool is refused in any place: %s', async (_what, body) => {
    const before = provider.requests.length;
    const reply = await request(listing, 'POST', '/openai/v1/assistants', body);
    if (reply.status !== 403) {
      const sent = provider.requests.at(-1)?.body.toString() ?? '';
      expect(sent).not.toMatch(/code_interpreter|file_search|web_search|google|mcp|brand_new/i);
      expect(reply.headers['x-gateway-tools-removed']).toBeDefined();
    } else expect(provider.requests.length).toBe(before);
  });

  it('tools that a client runs pass', async () => {
    const tools = [
      {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', properties: { plugins: {} } } },
      },
      { name: 'g', input_schema: { type: 'object' } },
      { functionDeclarations: [{ name: 'h' }] },
    ];
    await request(listing, 'POST', '/openai/v1/assistants', { tools });
    expect(JSON.parse(provider.requests.at(-1)?.body.toString() ?? '{}')).toEqual({ tools });
  });
}
