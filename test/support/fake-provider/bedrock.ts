import { EventStreamCodec } from '@smithy/eventstream-codec';
import { message as anthropicMessage, streamEvents as anthropicEvents } from './anthropic.ts';
import type { AnswerPlan, FakeHandler, FakeReply, FakeRequest, StreamPiece } from './handler.ts';
import { signatureFault } from './verify-sigv4.ts';

/** The credential of the fake account; a request signed with another is refused as by Bedrock. */
export const FAKE_AWS_CREDENTIAL = {
  accessKeyId: 'AKIAFAKEFAKEFAKEFAKE',
  secretAccessKey: 'fake/secret+access-key-of-the-test-account',
  sessionToken: 'fakeSessionToken==',
} as const;

const PATH = /^\/model\/([^/]+)\/([a-z-]+)$/;
const ACTIONS: ReadonlySet<string | undefined> = new Set([
  'converse',
  'converse-stream',
  'invoke',
  'invoke-with-response-stream',
  'count-tokens',
]);

/** Bedrock's runtime: converse, invoke in Anthropic's, Llama's and Titan's formats, and real event-stream frames. */
export const bedrockHandler: FakeHandler = {
  name: 'bedrock',
  matches: (method, path) => method === 'POST' && ACTIONS.has(PATH.exec(path)?.[2]),
  outputLimit({ json }) {
    const config = json.inferenceConfig as { maxTokens?: number } | undefined;
    return (
      config?.maxTokens ?? (json.max_tokens as number | undefined) ?? (json.max_gen_len as number | undefined)
    );
  },
  reply(request, plan) {
    const fault = credentialFault(request);
    if (fault !== undefined) return { kind: 'error', status: 403, message: fault };
    const [, id = '', action] = PATH.exec(request.path) ?? [];
    switch (action) {
      case 'converse':
        return whole(converseAnswer(plan), plan.pieces.length);
      case 'converse-stream':
        return stream(converseEvents(plan));
      case 'count-tokens':
        return whole({ inputTokens: plan.usage?.inputTokens ?? 1 }, 0);
      case 'invoke':
        return whole(
          invokeAnswer(decodeURIComponent(id), request, plan),
          id.includes('embed') ? 0 : plan.pieces.length,
        );
      default:
        return stream(invokeChunks(decodeURIComponent(id), request, plan));
    }
  },
  error: (_status, message) => ({ message }),
};

/** Undefined for a bearer key and for a valid signature. */
function credentialFault(request: FakeRequest): string | undefined {
  const { authorization = '' } = request.headers;
  if (authorization.startsWith('Bearer ')) return undefined;
  return signatureFault(request, FAKE_AWS_CREDENTIAL);
}

function whole(body: unknown, outputTokens: number): FakeReply {
  return { kind: 'whole', body, outputTokens };
}

function converseUsage(plan: AnswerPlan) {
  if (plan.usage === undefined) return {};
  const { inputTokens, outputTokens } = plan.usage;
  return { usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } };
}

function stopReason(plan: AnswerPlan): string {
  if (plan.truncated) return 'max_tokens';
  return plan.tool === undefined ? 'end_turn' : 'tool_use';
}

function converseAnswer(plan: AnswerPlan) {
  const text = plan.pieces.join('');
  const block =
    plan.tool === undefined
      ? { text }
      : { toolUse: { toolUseId: 'tool_fake', name: plan.tool, input: JSON.parse(text) as unknown } };
  return {
    output: { message: { role: 'assistant', content: [block] } },
    stopReason: stopReason(plan),
    metrics: { latencyMs: 1 },
    ...converseUsage(plan),
  };
}

interface Event {
  readonly type: string;
  readonly payload: unknown;
  readonly outputTokens: number;
}

function event(type: string, payload: unknown, outputTokens = 0): Event {
  return { type, payload, outputTokens };
}

function converseEvents(plan: AnswerPlan): Event[] {
  return [
    event('messageStart', { role: 'assistant', p: 'abcd' }),
    ...(plan.tool === undefined
      ? []
      : [
          event('contentBlockStart', {
            contentBlockIndex: 0,
            start: { toolUse: { toolUseId: 'tool_fake', name: plan.tool } },
          }),
        ]),
    ...plan.pieces.map((text) => {
      const delta = plan.tool === undefined ? { text } : { toolUse: { input: text } };
      return event('contentBlockDelta', { contentBlockIndex: 0, delta, p: 'abcdefgh' }, 1);
    }),
    event('contentBlockStop', { contentBlockIndex: 0 }),
    event('messageStop', { stopReason: stopReason(plan) }),
    event('metadata', { metrics: { latencyMs: 1 }, ...converseUsage(plan) }),
  ];
}

function invokeAnswer(model: string, request: FakeRequest, plan: AnswerPlan): unknown {
  if (model.includes('anthropic.')) return anthropicMessage(request, plan);
  if (model.includes('embed')) {
    return { embedding: [0.25, -0.5], inputTextTokenCount: plan.usage?.inputTokens };
  }
  return {
    generation: plan.pieces.join(''),
    prompt_token_count: plan.usage?.inputTokens,
    generation_token_count: plan.usage?.outputTokens,
    stop_reason: plan.truncated ? 'length' : 'stop',
  };
}

/** `chunk` events whose payload is base64 of the model family's own JSON; the last contains Bedrock's metrics. */
function invokeChunks(model: string, request: FakeRequest, plan: AnswerPlan): Event[] {
  const documents = model.includes('anthropic.')
    ? anthropicEvents(request, plan)
    : [
        ...plan.pieces.map((generation) => ({ data: { generation }, outputTokens: 1 })),
        { data: {}, outputTokens: 0 },
      ];
  return documents.map(({ data, outputTokens }, index) => {
    const metrics =
      index < documents.length - 1 || plan.usage === undefined
        ? {}
        : {
            'amazon-bedrock-invocationMetrics': {
              inputTokenCount: plan.usage.inputTokens,
              outputTokenCount: plan.usage.outputTokens,
              invocationLatency: 1,
              firstByteLatency: 1,
            },
          };
    const bytes = Buffer.from(JSON.stringify({ ...data, ...metrics })).toString('base64');
    return event('chunk', { bytes, p: 'abc' }, outputTokens);
  });
}

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);

/** One AWS event-stream message. */
export function eventFrame(type: string, payload: unknown, kind: 'event' | 'exception' = 'event'): Buffer {
  const text = (value: string) => ({ type: 'string', value }) as const;
  return Buffer.from(
    codec.encode({
      headers: {
        [`:${kind}-type`]: text(type),
        ':content-type': text('application/json'),
        ':message-type': text(kind),
      },
      body: Buffer.from(JSON.stringify(payload)),
    }),
  );
}

function stream(events: readonly Event[]): FakeReply {
  const pieces = events.map(({ type, payload, outputTokens }): StreamPiece => ({
    bytes: eventFrame(type, payload),
    outputTokens,
  }));
  return { kind: 'stream', contentType: 'application/vnd.amazon.eventstream', pieces };
}
