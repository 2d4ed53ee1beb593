import { PROVIDER_NAMES, type ProviderName } from '../../../../src/providers/registry.ts';
import { asks, chat, header, outcome, outcomeOf, says, sent, type AskedChat } from '../asking.ts';
import type { Bench, Probe, Probes, See } from '../probe.ts';

const MODEL = 'probe-model';
/** Few enough to be plausible for a prompt of one letter. */
const TOKENS = 5;
/** USD per million tokens that make one dollar of them. */
const PRICE = 1_000_000 / TOKENS;
const MICRO = 1_000_000;

/** A call of the priced model whose answer reports this usage. */
function used(usage: object, more: object = {}): AskedChat {
  const answer = says('x', usage);
  return {
    body: { ...chat('x', more), model: MODEL },
    answer: { body: { ...(answer.body as object), model: MODEL } },
  };
}

/** Shows a price by the cost of a usage of `TOKENS`: one dollar, and two. */
function price(name: string, usage: object, rest: object = {}, more: object = {}): Probe {
  return {
    at: ['pricing', 'overrides', MODEL, name],
    with: { pricing: { overrides: { [MODEL]: { input: 0, output: 0, ...rest } } } },
    values: [PRICE, 2 * PRICE],
    see: header('x-gateway-request-cost', used(usage, more)),
    expected: ['1', '2'],
  };
}

const IN = { prompt_tokens: TOKENS, completion_tokens: 0 };
const OUT = { prompt_tokens: 0, completion_tokens: TOKENS };
const FREE_MODEL = { pricing: { overrides: { [MODEL]: { input: 0, output: 0 } } } };
const TINY = { pricing: { overrides: { [MODEL]: { input: 0, output: 1 } } } };

/** Observes the output limit that a budget grants to a call without one. */
function granted(hourly: number): See {
  return sent(
    { body: { ...chat('x'), model: MODEL }, hourly },
    (body) => body['max_completion_tokens'] ?? body['max_tokens'],
  );
}

/** A stream of one word whose client disconnects. */
function left(path: string, model: string, afterMs: number): AskedChat {
  const chunk = { model, choices: [{ index: 0, delta: { content: 'One' } }] };
  return {
    path,
    body: { model, stream: true, messages: [{ role: 'user', content: 'x' }] },
    answer: { type: 'text/event-stream', body: `data: ${JSON.stringify(chunk)}\n\n`, goneAfterMs: afterMs },
  };
}

/** Observes the charge of a broken stream, in output tokens at one micro-USD each. */
async function tokensCharged(bench: Bench, asked: AskedChat): Promise<number> {
  const before = await spent(bench);
  await asks(bench, asked);
  const deadline = Date.now() + 5_000;
  for (;;) {
    const now = await spent(bench);
    if (now > before || Date.now() > deadline) return Math.round((now - before) * MICRO);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function spent(bench: Bench): Promise<number> {
  const metrics = await (await bench.sidecar()).metrics();
  return [...metrics.matchAll(/^gateway_spend_usd_total\S* (\S+)$/gm)].reduce(
    (sum, [, usd]) => sum + Number(usd),
    0,
  );
}

const CHAT_PATHS: Readonly<Record<ProviderName, string>> = {
  openai: '/openai/v1/chat/completions',
  anthropic: '/anthropic/v1/messages',
  gemini: '/gemini/v1beta/openai/chat/completions',
  bedrock: '/bedrock/openai/v1/chat/completions',
  azure: '/azure/openai/v1/chat/completions',
  mistral: '/mistral/v1/chat/completions',
  groq: '/groq/v1/chat/completions',
  cohere: '/cohere/compatibility/v1/chat/completions',
  deepseek: '/deepseek/v1/chat/completions',
  together: '/together/v1/chat/completions',
  ollama: '/ollama/v1/chat/completions',
  fireworks: '/fireworks/v1/chat/completions',
  xai: '/xai/v1/chat/completions',
  vllm: '/vllm/v1/chat/completions',
  openrouter: '/openrouter/v1/chat/completions',
};

/** An answer with hidden reasoning that breaks off: its time is charged at the provider's rate. */
function speed(provider: ProviderName): [string, Probe] {
  const model = 'o3';
  return [
    `pricing.output_tokens_per_second.${provider}`,
    {
      with: {
        pricing: { overrides: { [model]: { input: 0, output: 1, max_output_tokens: 1_000_000_000 } } },
        providers: { [provider]: { base_url: 'https://probe.test' } },
      },
      values: [1, 1_000_000],
      see: async (bench) => {
        const asked = left(CHAT_PATHS[provider], model, 50);
        return (await tokensCharged(bench, { ...asked, key: { provider } })) > 10_000 ? 'dear' : 'cheap';
      },
      expected: ['cheap', 'dear'],
    },
  ];
}

export const pricingProbes: Probes = {
  ...Object.fromEntries(PROVIDER_NAMES.map(speed)),
  'pricing.default_max_output_tokens': {
    with: TINY,
    values: [undefined, 500],
    see: granted(1),
    expected: [8_192, 500],
  },
  'pricing.default_context_tokens': {
    with: { pricing: { overrides: { [MODEL]: { input: 1, output: 0 } } } },
    values: [undefined, 100],
    see: async (bench) => {
      const asked: AskedChat = {
        path: '/openai/v1/responses',
        body: { model: MODEL, input: 'x', previous_response_id: 'resp_1', max_output_tokens: 300 },
        hourly: 0.1,
      };
      return outcomeOf(await asks(bench, asked));
    },
    expected: ['429 budget_exceeded', 200],
  },
  'pricing.abort_slack_tokens': {
    with: { pricing: { overrides: { [MODEL]: { input: 0, output: 1 } } } },
    values: [undefined, 1_000],
    see: async (bench) => {
      const tokens = await tokensCharged(bench, left('/openai/v1/chat/completions', MODEL, 20));
      return Math.round(tokens / 10) * 10;
    },
    expected: [260, 1_000],
  },
  'pricing.lower_client_limits': {
    with: { pricing: { overrides: { [MODEL]: { input: 0, output: 1_000 } } } },
    values: [true, false],
    see: outcome({ body: { ...chat('x', { max_tokens: 10_000 }), model: MODEL }, hourly: 5 }),
    expected: [200, '429 budget_exceeded'],
  },
  'pricing.unknown_model': {
    values: ['free', 'deny'],
    see: outcome({ body: { ...chat('x'), model: 'nobody-knows' } }),
    expected: [200, '403 policy_denied'],
  },
  'pricing.unknown_model.input': {
    with: { pricing: { unknown_model: { input: 0, output: 0 } } },
    values: [PRICE, 2 * PRICE],
    see: header('x-gateway-request-cost', { ...used(IN), body: { ...chat('x'), model: 'nobody-knows' } }),
    expected: ['1', '2'],
  },
  'pricing.unknown_model.output': {
    with: { pricing: { unknown_model: { input: 0, output: 0 } } },
    values: [PRICE, 2 * PRICE],
    see: header('x-gateway-request-cost', { ...used(OUT), body: { ...chat('x'), model: 'nobody-knows' } }),
    expected: ['1', '2'],
  },
  'pricing.overrides.*.input': price('input', IN),
  'pricing.overrides.*.output': price('output', OUT),
  'pricing.overrides.*.cached_input': price('cached_input', {
    ...IN,
    prompt_tokens_details: { cached_tokens: TOKENS },
  }),
  'pricing.overrides.*.cache_write': {
    at: ['pricing', 'overrides', MODEL, 'cache_write'],
    with: FREE_MODEL,
    values: [PRICE, 2 * PRICE],
    see: header('x-gateway-request-cost', {
      key: { provider: 'anthropic' },
      path: '/anthropic/v1/messages',
      body: { ...chat('x', { max_tokens: 100 }), model: MODEL },
      answer: {
        body: {
          type: 'message',
          role: 'assistant',
          model: MODEL,
          content: [{ type: 'text', text: 'x' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: TOKENS },
        },
      },
    }),
    expected: ['1', '2'],
  },
  'pricing.overrides.*.input_audio': price('input_audio', {
    ...IN,
    prompt_tokens_details: { audio_tokens: TOKENS },
  }),
  'pricing.overrides.*.output_audio': price(
    'output_audio',
    { ...OUT, completion_tokens_details: { audio_tokens: TOKENS } },
    {},
    { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
  ),
  'pricing.overrides.*.output_image': price('output_image', OUT, {}, { modalities: ['image', 'text'] }),
  'pricing.overrides.*.output_video': {
    ...price('output_video', {}),
    see: header('x-gateway-request-cost', {
      key: { provider: 'gemini' },
      path: `/gemini/v1beta/models/${MODEL}:generateContent`,
      body: {
        contents: [{ role: 'user', parts: [{ text: 'x' }] }],
        generationConfig: { responseModalities: ['VIDEO'] },
      },
      answer: {
        body: {
          candidates: [{ content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'STOP' }],
          usageMetadata: {
            promptTokenCount: 0,
            candidatesTokenCount: TOKENS,
            candidatesTokensDetails: [{ modality: 'VIDEO', tokenCount: TOKENS }],
            totalTokenCount: TOKENS,
          },
        },
      },
    }),
  },
  'pricing.overrides.*.request': {
    ...price('request', { prompt_tokens: 0, completion_tokens: 0 }),
    values: [1, 2],
  },
  'pricing.overrides.*.max_output_tokens': {
    at: ['pricing', 'overrides', MODEL, 'max_output_tokens'],
    with: TINY,
    values: [400, 800],
    see: granted(1),
    expected: [400, 800],
  },
  'pricing.overrides.*.context_tokens': {
    at: ['pricing', 'overrides', MODEL, 'context_tokens'],
    with: { pricing: { overrides: { [MODEL]: { input: 1, output: 0 } } } },
    values: [1_000, 1_000_000],
    see: outcome({
      path: '/openai/v1/responses',
      body: { model: MODEL, input: 'x', previous_response_id: 'resp_1', max_output_tokens: 300 },
      hourly: 0.1,
    }),
    expected: [200, '429 budget_exceeded'],
  },
  'pricing.tools.*': {
    at: ['pricing', 'tools', 'web_search'],
    with: { ...FREE_MODEL, proxy: { provider_tools: ['web_search'] } },
    values: [0.01, 0.02],
    see: header('x-gateway-request-cost', {
      path: '/openai/v1/responses',
      body: { model: MODEL, input: 'x', tools: [{ type: 'web_search' }] },
      answer: {
        body: {
          object: 'response',
          model: MODEL,
          status: 'completed',
          output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }],
          usage: { input_tokens: 0, output_tokens: 0 },
        },
      },
    }),
    expected: ['0.01', '0.02'],
  },
};
