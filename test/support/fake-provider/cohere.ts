import type { AnswerPlan, FakeHandler, FakeReply, FakeRequest, StreamPiece } from './handler.ts';

const POST: ReadonlySet<string> = new Set([
  '/v1/chat',
  '/v2/chat',
  '/v1/embed',
  '/v2/embed',
  '/v1/rerank',
  '/v2/rerank',
  '/v1/tokenize',
]);

/** Cohere's API: chat v1 (NDJSON or SSE) and v2 (SSE), embeddings, rerank, tokenize, models. */
export const cohereHandler: FakeHandler = {
  name: 'cohere',
  matches: (method, path) => (method === 'POST' ? POST.has(path) : path.startsWith('/v1/models')),
  outputLimit: ({ json }) => (typeof json.max_tokens === 'number' ? json.max_tokens : undefined),
  reply(request, plan) {
    switch (request.path) {
      case '/v2/chat':
        return request.json.stream === true ? v2Stream(plan) : whole(v2Answer(plan), plan.pieces.length);
      case '/v1/chat':
        return request.json.stream === true
          ? v1Stream(request, plan)
          : whole(v1Answer(plan), plan.pieces.length);
      case '/v1/embed':
      case '/v2/embed':
        return whole({ id: 'fake', embeddings: { float: [[0.25, -0.5]] }, texts: [], ...meta(plan, 0) }, 0);
      case '/v1/rerank':
      case '/v2/rerank':
        return whole(
          {
            id: 'fake',
            results: [{ index: 0, relevance_score: 0.5 }],
            meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
          },
          0,
        );
      case '/v1/tokenize':
        return whole({ tokens: [1, 2], token_strings: ['a', 'b'], meta: {} }, 0);
      default:
        return whole({ models: [{ name: 'command-fake', endpoints: ['chat'] }] }, 0);
    }
  },
  error: (_status, message) => ({ message }),
};

function whole(body: unknown, outputTokens: number): FakeReply {
  return { kind: 'whole', body, outputTokens };
}

/** Cohere reports billed tokens separately from read ones, which include its own preamble. */
function units(plan: AnswerPlan, outputTokens: number) {
  const { inputTokens } = plan.usage ?? { inputTokens: 0 };
  return {
    billed_units: { input_tokens: inputTokens, output_tokens: outputTokens },
    tokens: { input_tokens: inputTokens + 66, output_tokens: outputTokens + 4 },
  };
}

function meta(plan: AnswerPlan, outputTokens = plan.usage?.outputTokens ?? 0) {
  return plan.usage === undefined
    ? {}
    : { meta: { api_version: { version: '1' }, ...units(plan, outputTokens) } };
}

function usage(plan: AnswerPlan) {
  return plan.usage === undefined ? {} : { usage: units(plan, plan.usage.outputTokens) };
}

function finishReason(plan: AnswerPlan): string {
  return plan.truncated ? 'MAX_TOKENS' : 'COMPLETE';
}

function v2Answer(plan: AnswerPlan) {
  return {
    id: 'fake',
    finish_reason: finishReason(plan),
    message: { role: 'assistant', content: [{ type: 'text', text: plan.pieces.join('') }] },
    ...usage(plan),
  };
}

function v1Answer(plan: AnswerPlan) {
  return {
    response_id: 'fake',
    generation_id: 'fake',
    text: plan.pieces.join(''),
    finish_reason: finishReason(plan),
    ...meta(plan),
  };
}

interface Event {
  readonly name: string;
  readonly data: unknown;
  readonly outputTokens: number;
}

function v2Stream(plan: AnswerPlan): FakeReply {
  const event = (type: string, more: Record<string, unknown>, outputTokens = 0): Event => ({
    name: type,
    data: { type, ...more },
    outputTokens,
  });
  const content = (part: Record<string, unknown>) => ({ index: 0, delta: { message: { content: part } } });
  return sse([
    event('message-start', { id: 'fake', delta: { message: { role: 'assistant', content: [] } } }),
    event('content-start', content({ type: 'text', text: '' })),
    ...plan.pieces.map((text) => event('content-delta', content({ text }), 1)),
    event('content-end', { index: 0 }),
    event('message-end', { delta: { finish_reason: finishReason(plan), ...usage(plan) } }),
  ]);
}

function v1Stream({ headers }: FakeRequest, plan: AnswerPlan): FakeReply {
  const event = (type: string, more: Record<string, unknown>, outputTokens = 0): Event => ({
    name: type,
    data: { is_finished: type === 'stream-end', event_type: type, ...more },
    outputTokens,
  });
  const events = [
    event('stream-start', { generation_id: 'fake' }),
    ...plan.pieces.map((text) => event('text-generation', { text }, 1)),
    event('stream-end', { finish_reason: finishReason(plan), response: v1Answer(plan) }),
  ];
  if (headers.accept?.includes('text/event-stream')) return sse(events);
  const pieces = events.map(({ data, outputTokens }): StreamPiece => ({
    bytes: `${JSON.stringify(data)}\n`,
    outputTokens,
  }));
  return { kind: 'stream', contentType: 'application/stream+json', pieces };
}

function sse(events: readonly Event[]): FakeReply {
  const pieces = events.map(({ name, data, outputTokens }): StreamPiece => ({
    bytes: `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`,
    outputTokens,
  }));
  return { kind: 'stream', contentType: 'text/event-stream', pieces };
}
