import { expect, it } from 'vitest';
import { CHAT, CHAT_BODY, TOKEN, WORDS } from '../rig.ts';
import { spentOn } from './prices.ts';
import { scripted } from './rig.ts';

const MESSAGES = '/anthropic/v1/messages';
const RESPONSES = '/openai/v1/responses';
const GEMINI = '/gemini/v1beta/models/flat:generateContent';
const GEMINI_STREAM = '/gemini/v1beta/models/flat:streamGenerateContent?alt=sse';
const CONVERSE = '/bedrock/model/flat/converse';

const BODIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  [RESPONSES]: { model: 'flat', input: 'Say.', max_output_tokens: 1_000 },
  [GEMINI]: { contents: [{ parts: [{ text: 'Say.' }] }], generationConfig: { maxOutputTokens: 1_000 } },
  [GEMINI_STREAM]: {
    contents: [{ parts: [{ text: 'Say.' }] }],
    generationConfig: { maxOutputTokens: 1_000 },
  },
  [CONVERSE]: {
    messages: [{ role: 'user', content: [{ text: 'Say.' }] }],
    inferenceConfig: { maxTokens: 1_000 },
  },
};
const bodyFor = (path: string) => BODIES[path] ?? CHAT_BODY;

/** Ten output tokens, at the list price. */
const LISTED = 10 * TOKEN;
const counts = { prompt_tokens: 10, completion_tokens: 10 };
const claudeCounts = { input_tokens: 10, output_tokens: 10 };
const geminiCounts = { promptTokenCount: 10, candidatesTokenCount: 10 };

const chat = (more: object, usage: object = {}) => ({
  choices: [{ index: 0, message: { content: 'Well.' }, finish_reason: 'stop' }],
  usage: { ...counts, ...usage },
  ...more,
});
const claude = (usage: object, more: object = {}) => ({
  content: [{ type: 'text', text: 'Well.' }],
  usage: { ...claudeCounts, ...usage },
  ...more,
});
const generated = (usageMetadata: object, more: object = {}) => ({
  candidates: [{ content: { parts: [{ text: 'Well.' }] }, finishReason: 'STOP' }],
  usageMetadata: { ...geminiCounts, ...usageMetadata },
  ...more,
});
const response = (more: object) => ({ output: [], usage: claudeCounts, ...more });
const search = { type: 'web_search_call', id: 'ws_1', status: 'completed' };

const WHOLE: readonly (readonly [what: string, path: string, answer: object, nanoUsd: number])[] = [
  ['OpenAI’s priority tier', CHAT, chat({ service_tier: 'priority' }), 2 * LISTED],
  ['that of its responses', RESPONSES, response({ service_tier: 'priority' }), 2 * LISTED],
  ['Azure’s', '/azure/openai/v1/chat/completions', chat({ service_tier: 'priority' }), 2 * LISTED],
  ['xAI’s', '/xai/v1/chat/completions', chat({ service_tier: 'priority' }), 2 * LISTED],
  ['Gemini’s traffic type', GEMINI, generated({ trafficType: 'ON_DEMAND_PRIORITY' }), 2 * LISTED],
  ['Gemini’s service tier', GEMINI, generated({ serviceTier: 'priority' }), 2 * LISTED],
  [
    'Bedrock’s tier',
    CONVERSE,
    { output: {}, usage: { inputTokens: 10, outputTokens: 10 }, serviceTier: { type: 'priority' } },
    1.75 * LISTED,
  ],
  [
    'Bedrock’s optimized latency',
    CONVERSE,
    { output: {}, usage: { inputTokens: 10, outputTokens: 10 }, performanceConfig: { latency: 'optimized' } },
    1.25 * LISTED,
  ],
  [
    'a tier without a list price',
    '/groq/v1/chat/completions',
    chat({ service_tier: 'performance' }),
    2.5 * LISTED,
  ],
  ['Anthropic’s tier', MESSAGES, claude({ service_tier: 'priority' }), 2.5 * LISTED],
  ['Anthropic’s fast mode', MESSAGES, claude({ speed: 'fast' }), 6 * LISTED],
  ['Anthropic’s place', MESSAGES, claude({ inference_geo: 'us' }), 1.1 * LISTED],
  ['fast, in one place', MESSAGES, claude({ speed: 'fast', inference_geo: 'us' }), 6.6 * LISTED],
  [
    'Anthropic’s searches',
    MESSAGES,
    claude({ server_tool_use: { web_search_requests: 3, web_fetch_requests: 2 } }),
    LISTED + 3 * 10_000_000,
  ],
  [
    'searches among the items of a response',
    RESPONSES,
    response({ output: [search, search] }),
    LISTED + 50_000_000,
  ],
  [
    'Google’s queries',
    GEMINI,
    generated(
      {},
      { candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b'] }, finishReason: 'STOP' }] },
    ),
    LISTED + 70_000_000,
  ],
  [
    'output that Google’s total alone tells',
    GEMINI,
    generated({ candidatesTokenCount: undefined, totalTokenCount: 20 }),
    LISTED,
  ],
  ['a dearer model', CHAT, chat({ model: 'detailed' }), 10 * 1_000 + 10 * 10_000],
  ['Gemini’s dearer model', GEMINI, generated({}, { modelVersion: 'detailed' }), 10 * 1_000 + 10 * 10_000],
  [
    'a dearer model of the priority tier',
    CHAT,
    chat({ model: 'detailed', service_tier: 'priority' }),
    2 * 110_000,
  ],
];

const STREAMED: readonly (readonly [
  what: string,
  path: string,
  events: readonly object[],
  nanoUsd: number,
])[] = [
  [
    'OpenAI’s tier',
    CHAT,
    [
      { choices: [{ index: 0, delta: { content: 'Well.' } }], service_tier: 'priority' },
      { choices: [], usage: counts },
    ],
    2 * LISTED,
  ],
  [
    'OpenAI’s dearer model',
    CHAT,
    [
      { model: 'detailed', choices: [{ index: 0, delta: { content: 'Well.' } }] },
      { model: 'detailed', choices: [], usage: counts },
    ],
    110_000,
  ],
  [
    'text behind a running usage that leaves it out',
    CHAT,
    [
      { choices: [{ index: 0, delta: {} }], usage: { prompt_tokens: 10, completion_tokens: 0 } },
      { choices: [{ index: 0, delta: { content: WORDS }, finish_reason: 'stop' }], usage: null },
    ],
    9 * TOKEN,
  ],
  [
    'the tier of a response',
    RESPONSES,
    [
      { type: 'response.created', response: { output: [], service_tier: 'auto' } },
      { type: 'response.completed', response: { output: [], service_tier: 'priority', usage: claudeCounts } },
    ],
    2 * LISTED,
  ],
  [
    'a response’s searches, told item by item and at the end',
    RESPONSES,
    [
      { type: 'response.output_item.done', output_index: 0, item: search },
      { type: 'response.output_item.done', output_index: 1, item: search },
      { type: 'response.completed', response: { output: [search, search], usage: claudeCounts } },
    ],
    LISTED + 50_000_000,
  ],
  [
    'Anthropic’s fast mode',
    MESSAGES,
    [
      { type: 'message_start', message: { model: 'flat', usage: { ...claudeCounts, speed: 'fast' } } },
      { type: 'message_delta', delta: {}, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ],
    6 * LISTED,
  ],
  [
    'Anthropic’s searches',
    MESSAGES,
    [
      {
        type: 'message_start',
        message: { usage: { ...claudeCounts, server_tool_use: { web_search_requests: 0 } } },
      },
      {
        type: 'message_delta',
        delta: {},
        usage: { output_tokens: 10, server_tool_use: { web_search_requests: 2 } },
      },
      { type: 'message_stop' },
    ],
    LISTED + 20_000_000,
  ],
  [
    'Gemini’s traffic type',
    GEMINI_STREAM,
    [
      { candidates: [{ content: { parts: [{ text: 'Well' }] } }] },
      generated({ trafficType: 'ON_DEMAND_PRIORITY' }),
    ],
    2 * LISTED,
  ],
];

async function counter(name: string): Promise<number> {
  const lines = (await scripted.gateway.metrics()).split('\n').filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

export function toldBilling(): void {
  it.each(WHOLE)('%s, whole', async (_what, path, answer, nanoUsd) => {
    await (await spentOn(path, bodyFor(path), answer)).expectSpent(nanoUsd);
  });

  it.each(STREAMED)('%s, streamed', async (_what, path, events, nanoUsd) => {
    await (await spentOn(path, bodyFor(path), ...events)).expectSpent(nanoUsd);
  });

  it.each<[string, string, object]>([
    ['the default tier', CHAT, chat({ service_tier: 'default' })],
    ['a cheaper tier', CHAT, chat({ service_tier: 'flex' })],
    ['a snapshot of the model', CHAT, chat({ model: 'flat-2025-01-01' })],
    ['an unknown model', CHAT, chat({ model: 'something-else' })],
    [
      'Anthropic’s usual billing',
      MESSAGES,
      claude({ service_tier: 'standard', speed: 'standard', inference_geo: 'not_available' }),
    ],
    ['Gemini’s usual traffic', GEMINI, generated({ trafficType: 'ON_DEMAND' })],
  ])('nothing more for %s', async (_what, path, answer) => {
    await (await spentOn(path, bodyFor(path), answer)).expectSpent(LISTED);
  });

  it('and the difference is counted', async () => {
    const before = await counter('gateway_told_dearer_usd_total');
    await (await spentOn(CHAT, CHAT_BODY, chat({ service_tier: 'priority' }))).expectSpent(2 * LISTED);
    expect((await counter('gateway_told_dearer_usd_total')) - before).toBeCloseTo(LISTED / 1e9, 12);
  });
}

export function absurdUsages(): void {
  const RESERVED = 1_000 * TOKEN;
  const most = 900_000_000;
  it.each<[string, string, readonly object[]]>([
    ['OpenAI’s output', CHAT, [chat({}, { completion_tokens: most })]],
    ['OpenAI’s input', CHAT, [chat({}, { prompt_tokens: most })]],
    [
      'OpenAI’s reasoning',
      CHAT,
      [chat({}, { completion_tokens: most, completion_tokens_details: { reasoning_tokens: most } })],
    ],
    ['a count beyond all counting', CHAT, [chat({}, { completion_tokens: 5e12 })]],
    [
      'a stream’s',
      CHAT,
      [
        { choices: [{ index: 0, delta: { content: 'Well.' } }] },
        { choices: [], usage: { prompt_tokens: 1, completion_tokens: most } },
      ],
    ],
    ['Anthropic’s', MESSAGES, [claude({ output_tokens: most })]],
    ['Anthropic’s cache', MESSAGES, [claude({ cache_read_input_tokens: most })]],
    ['Gemini’s', GEMINI, [generated({ candidatesTokenCount: most })]],
    ['Gemini’s stream', GEMINI_STREAM, [{ candidates: [] }, generated({ thoughtsTokenCount: most })]],
    ['Bedrock’s', CONVERSE, [{ output: {}, usage: { inputTokens: 1, outputTokens: most } }]],
    ['a response’s', RESPONSES, [response({ usage: { input_tokens: 1, output_tokens: most } })]],
    ['Cohere’s', '/cohere/v2/chat', [{ usage: { billed_units: { input_tokens: 1, output_tokens: most } } }]],
    ['OpenRouter’s bill', '/openrouter/v1/chat/completions', [chat({}, { cost: 9_000 })]],
    ['searches', MESSAGES, [claude({ server_tool_use: { web_search_requests: 1_000_000 } })]],
  ])('%s', async (_what, path, answer) => {
    const before = await counter('gateway_absurd_usages_total');
    await (await spentOn(path, bodyFor(path), ...answer)).expectSpent(RESERVED);
    expect((await counter('gateway_absurd_usages_total')) - before).toBe(1);
  });

  it('is less than absurd slightly above the granted limit', async () => {
    const before = await counter('gateway_absurd_usages_total');
    await (await spentOn(CHAT, CHAT_BODY, chat({}, { completion_tokens: 5_000 }))).expectSpent(5_000 * TOKEN);
    expect(await counter('gateway_absurd_usages_total')).toBe(before);
  });
}
