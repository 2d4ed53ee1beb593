import type { AnswerPlan, FakeHandler, FakeReply, FakeRequest, StreamPiece } from './handler.ts';

const POST = /\/(chat\/completions|completions|responses|embeddings|moderations)$/;
const MODELS = /\/v1\/models(\/[^/]+)?$/;

/** OpenAI's API under any prefix: chat, completions and responses, whole and streamed; embeddings; models. */
export const openaiHandler: FakeHandler = {
  name: 'openai',
  matches: (method, path) => (method === 'POST' ? POST : MODELS).test(path),
  outputLimit: ({ json }) =>
    [json.max_completion_tokens, json.max_tokens, json.max_output_tokens].find(
      (limit): limit is number => typeof limit === 'number',
    ),
  choices: ({ json }) => (typeof json.n === 'number' ? json.n : 1),
  reply(request, plan) {
    const endpoint = POST.exec(request.path)?.[1];
    const stream = request.json.stream === true;
    if (request.method !== 'POST') return whole(modelList(), 0);
    if (endpoint === 'embeddings') return whole(embeddings(request, plan), 0);
    if (endpoint === 'moderations')
      return whole({ id: 'modr-fake', model: 'fake', results: [{ flagged: false }] }, 0);
    if (endpoint === 'responses')
      return stream ? responseStream(plan) : whole(response(plan, plan.pieces), plan.pieces.length);
    const isChat = endpoint === 'chat/completions';
    return stream
      ? chunkStream(request, plan, isChat)
      : whole(completion(request, plan, isChat), billed(request, plan));
  },
  error: (status, message) => ({
    error: {
      message,
      type: status >= 500 ? 'server_error' : 'invalid_request_error',
      param: null,
      code: null,
    },
  }),
};

function whole(body: unknown, outputTokens: number): FakeReply {
  return { kind: 'whole', body, outputTokens };
}

function choiceCount({ json }: FakeRequest): number {
  return typeof json.n === 'number' ? json.n : 1;
}

function billed(request: FakeRequest, plan: AnswerPlan): number {
  return plan.pieces.length * choiceCount(request);
}

function modelList() {
  return {
    object: 'list',
    data: [{ id: 'gpt-fake', object: 'model', created: 1_700_000_000, owned_by: 'fake' }],
  };
}

function chatUsage({ usage }: AnswerPlan) {
  return (
    usage && {
      prompt_tokens: usage.inputTokens,
      completion_tokens: usage.outputTokens,
      total_tokens: usage.inputTokens + usage.outputTokens,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
    }
  );
}

function finishReason(plan: AnswerPlan): string {
  if (plan.truncated) return 'length';
  return plan.tool === undefined ? 'stop' : 'tool_calls';
}

/** The content of a message, or of a stream's first delta if `text` is empty: text, or a call of the plan's tool. */
function said({ tool }: AnswerPlan, text: string) {
  if (tool === undefined) return { content: text };
  const call = { index: 0, id: `call_${tool}`, type: 'function', function: { name: tool, arguments: text } };
  return { content: null, tool_calls: [call] };
}

function saidMore({ tool }: AnswerPlan, text: string) {
  return tool === undefined
    ? { content: text }
    : { tool_calls: [{ index: 0, function: { arguments: text } }] };
}

function completion(request: FakeRequest, plan: AnswerPlan, isChat: boolean) {
  const text = plan.pieces.join('');
  const choices = Array.from({ length: choiceCount(request) }, (_, index) => ({
    index,
    ...(isChat ? { message: { role: 'assistant', refusal: null, ...said(plan, text) } } : { text }),
    logprobs: null,
    finish_reason: finishReason(plan),
  }));
  return {
    id: 'chatcmpl-fake',
    object: isChat ? 'chat.completion' : 'text_completion',
    created: 1_700_000_000,
    model: request.json.model ?? 'gpt-fake',
    choices,
    usage: chatUsage(plan),
  };
}

function chunkStream(request: FakeRequest, plan: AnswerPlan, isChat: boolean): FakeReply {
  const { stream_options: options } = request.json as { stream_options?: { include_usage?: boolean } };
  const asked = options?.include_usage === true;
  const frame = (choices: unknown[], outputTokens: number, usage?: unknown, rest?: object): StreamPiece => ({
    bytes: sse({
      id: 'chatcmpl-fake',
      object: isChat ? 'chat.completion.chunk' : 'text_completion',
      created: 1_700_000_000,
      model: request.json.model ?? 'gpt-fake',
      choices,
      ...(asked && { usage: usage ?? null }),
      ...rest,
    }),
    outputTokens,
  });
  const indexes = Array.from({ length: choiceCount(request) }, (_, index) => index);
  const delta = (content: object) => (isChat ? { delta: content } : content);
  const usage = chatUsage(plan);
  return {
    kind: 'stream',
    contentType: 'text/event-stream; charset=utf-8',
    pieces: [
      ...(isChat
        ? [
            frame(
              indexes.map((index) => ({
                index,
                delta: { role: 'assistant', ...said(plan, '') },
                finish_reason: null,
              })),
              0,
            ),
          ]
        : []),
      ...plan.pieces.flatMap((text) =>
        indexes.map((index) =>
          frame([{ index, ...delta(isChat ? saidMore(plan, text) : { text }), finish_reason: null }], 1),
        ),
      ),
      frame(
        indexes.map((index) => ({
          index,
          ...delta(isChat ? {} : { text: '' }),
          finish_reason: finishReason(plan),
        })),
        0,
        undefined,
        plan.unaskedUsage === undefined
          ? {}
          : plan.unaskedUsage === 'x_groq'
            ? { x_groq: { usage } }
            : { usage },
      ),
      ...(asked && usage !== undefined ? [frame([], 0, usage)] : []),
      { bytes: 'data: [DONE]\n\n', outputTokens: 0 },
    ],
  };
}

function sse(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function response(plan: AnswerPlan, pieces: readonly string[], status = finalStatus(plan)) {
  const finished = status !== 'in_progress';
  const text = pieces.join('');
  return {
    id: 'resp_fake',
    object: 'response',
    created_at: 1_700_000_000,
    status,
    model: 'gpt-fake',
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    output: finished ? [outputItem(plan, text)] : [],
    ...(finished && plan.usage !== undefined && { usage: responseUsage(plan.usage) }),
  };
}

function finalStatus(plan: AnswerPlan): string {
  return plan.truncated ? 'incomplete' : 'completed';
}

function outputItem(plan: AnswerPlan, text: string) {
  return plan.tool === undefined ? outputMessage(text) : functionCall(plan, text);
}

function functionCall({ tool, toolNamespace }: AnswerPlan, args: string, status = 'completed') {
  return {
    id: 'fc_fake',
    type: 'function_call',
    call_id: `call_${tool ?? ''}`,
    status,
    name: tool,
    arguments: args,
    ...(toolNamespace !== undefined && { namespace: toolNamespace }),
  };
}

function outputMessage(text: string) {
  return {
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
  };
}

function responseUsage(usage: { inputTokens: number; outputTokens: number }) {
  return {
    input_tokens: usage.inputTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

function responseStream(plan: AnswerPlan): FakeReply {
  let sequence = 0;
  const event = (type: string, rest: object, outputTokens = 0): StreamPiece => ({
    bytes: sse({ type, sequence_number: sequence++, ...rest }, type),
    outputTokens,
  });
  const text = plan.pieces.join('');
  return {
    kind: 'stream',
    contentType: 'text/event-stream; charset=utf-8',
    pieces: [
      event('response.created', { response: response(plan, [], 'in_progress') }),
      event('response.in_progress', { response: response(plan, [], 'in_progress') }),
      ...(plan.tool === undefined ? messageEvents(plan.pieces, event) : callEvents(plan, event)),
      event('response.output_item.done', { output_index: 0, item: outputItem(plan, text) }),
      event(`response.${finalStatus(plan)}`, { response: response(plan, plan.pieces) }),
    ],
  };
}

type WriteEvent = (type: string, rest: object, outputTokens?: number) => StreamPiece;

function messageEvents(pieces: readonly string[], event: WriteEvent): StreamPiece[] {
  const place = { item_id: 'msg_fake', output_index: 0, content_index: 0 };
  const text = pieces.join('');
  const part = { type: 'output_text', text, annotations: [] };
  const item = { ...outputMessage(''), content: [], status: 'in_progress' };
  return [
    event('response.output_item.added', { output_index: 0, item }),
    event('response.content_part.added', { ...place, part: { ...part, text: '' } }),
    ...pieces.map((delta) => event('response.output_text.delta', { ...place, delta, logprobs: [] }, 1)),
    event('response.output_text.done', { ...place, text, logprobs: [] }),
    event('response.content_part.done', { ...place, part }),
  ];
}

function callEvents(plan: AnswerPlan, event: WriteEvent): StreamPiece[] {
  const { pieces, tool: name } = plan;
  const place = { item_id: 'fc_fake', output_index: 0 };
  return [
    event('response.output_item.added', { output_index: 0, item: functionCall(plan, '', 'in_progress') }),
    ...pieces.map((delta) => event('response.function_call_arguments.delta', { ...place, delta }, 1)),
    event('response.function_call_arguments.done', { ...place, name, arguments: pieces.join('') }),
  ];
}

function embeddings({ json }: FakeRequest, plan: AnswerPlan) {
  const inputs = Array.isArray(json.input) && typeof json.input[0] !== 'number' ? json.input : [json.input];
  const vector = [0.1, -0.2, 0.3];
  const bytes = Buffer.from(new Float32Array(vector).buffer);
  const embedding = json.encoding_format === 'base64' ? bytes.toString('base64') : vector;
  return {
    id: 'embd-fake',
    object: 'list',
    data: inputs.map((_, index) => ({ object: 'embedding', index, embedding })),
    model: json.model,
    usage: plan.usage && { prompt_tokens: plan.usage.inputTokens, total_tokens: plan.usage.inputTokens },
  };
}
