import type { AnswerPlan, FakeHandler, FakeReply, FakeRequest, StreamPiece } from './handler.ts';

const MESSAGES = '/v1/messages';
const COUNT = '/v1/messages/count_tokens';

/** Anthropic's API: messages, whole and streamed, count_tokens, models. */
export const anthropicHandler: FakeHandler = {
  name: 'anthropic',
  matches: (method, path) =>
    method === 'POST' ? path === MESSAGES || path === COUNT : path.startsWith('/v1/models'),
  outputLimit: ({ json }) => (typeof json.max_tokens === 'number' ? json.max_tokens : undefined),
  reply(request, plan) {
    if (request.method !== 'POST') return whole(modelPage(), 0);
    if (request.path === COUNT) return whole({ input_tokens: plan.usage?.inputTokens ?? 1 }, 0);
    return request.json.stream === true
      ? {
          kind: 'stream',
          contentType: 'text/event-stream; charset=utf-8',
          pieces: messageEvents(request, plan),
        }
      : whole(message(request, plan), plan.pieces.length);
  },
  error: (status, text) => ({ type: 'error', error: { type: errorType(status), message: text } }),
};

function whole(body: unknown, outputTokens: number): FakeReply {
  return { kind: 'whole', body, outputTokens };
}

function modelPage() {
  const model = {
    type: 'model',
    id: 'claude-fake',
    display_name: 'Fake',
    created_at: '2026-01-01T00:00:00Z',
  };
  return { data: [model], has_more: false, first_id: model.id, last_id: model.id };
}

/** A whole message; Bedrock's invoke answers with the same. */
export function message({ json }: FakeRequest, plan: AnswerPlan) {
  return {
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model: json.model ?? 'claude-fake',
    content: [
      plan.tool === undefined
        ? { type: 'text', text: plan.pieces.join('') }
        : { ...toolUse(plan.tool, plan.toolId), input: JSON.parse(plan.pieces.join('')) as unknown },
    ],
    stop_reason: stopReason(plan),
    stop_sequence: null,
    ...usageMember(plan, plan.usage?.outputTokens),
  };
}

function toolUse(name: string, id = '') {
  return { type: 'tool_use', id: `toolu_${name}${id}`, name, input: {} };
}

function stopReason(plan: AnswerPlan): string {
  if (plan.truncated) return 'max_tokens';
  return plan.tool === undefined ? 'end_turn' : 'tool_use';
}

function usageMember(plan: AnswerPlan, outputTokens: number | undefined) {
  if (plan.usage === undefined) return {};
  return {
    usage: {
      input_tokens: plan.usage.inputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: outputTokens,
    },
  };
}

/** The events of a streamed message, in order; Bedrock's invoke streams carry the same. */
export function streamEvents(request: FakeRequest, plan: AnswerPlan) {
  const { content: _content, usage: _usage, ...empty } = { usage: undefined, ...message(request, plan) };
  const event = (data: { type: string } & Record<string, unknown>, outputTokens = 0) => ({
    data,
    outputTokens,
  });
  return [
    event({
      type: 'message_start',
      message: { ...empty, content: [], stop_reason: null, ...usageMember(plan, 1) },
    }),
    event({
      type: 'content_block_start',
      index: 0,
      content_block: plan.tool === undefined ? { type: 'text', text: '' } : toolUse(plan.tool, plan.toolId),
    }),
    event({ type: 'ping' }),
    ...plan.pieces.map((text) =>
      event({ type: 'content_block_delta', index: 0, delta: delta(plan, text) }, 1),
    ),
    event({ type: 'content_block_stop', index: 0 }),
    event({
      type: 'message_delta',
      delta: { stop_reason: stopReason(plan), stop_sequence: null },
      ...(plan.usage === undefined ? {} : { usage: { output_tokens: plan.usage.outputTokens } }),
    }),
    event({ type: 'message_stop' }),
  ];
}

function delta({ tool }: AnswerPlan, text: string) {
  return tool === undefined ? { type: 'text_delta', text } : { type: 'input_json_delta', partial_json: text };
}

function messageEvents(request: FakeRequest, plan: AnswerPlan): StreamPiece[] {
  return streamEvents(request, plan).map(({ data, outputTokens }) => ({
    bytes: `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`,
    outputTokens,
  }));
}

function errorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 429) return 'rate_limit_error';
  if (status === 529) return 'overloaded_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}
