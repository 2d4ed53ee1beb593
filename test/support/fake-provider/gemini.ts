import type { AnswerPlan, FakeHandler, FakeReply, StreamPiece } from './handler.ts';

const METHOD = /^\/v1(?:beta|alpha)?\/models\/([^/:]+):(\w+)$/;
const MODELS = /^\/v1(?:beta|alpha)?\/models(\/[^/:]+)?$/;

/** Google's Gemini API: generateContent, its streams as SSE and as a JSON array, countTokens, embeddings, models. */
export const geminiHandler: FakeHandler = {
  name: 'gemini',
  matches: (method, path) => (method === 'POST' ? METHOD : MODELS).test(path),
  outputLimit({ json }) {
    const config = json.generationConfig as { maxOutputTokens?: number } | undefined;
    return config?.maxOutputTokens;
  },
  reply({ path, query }, plan) {
    const [, model = '', verb] = METHOD.exec(path) ?? [];
    switch (verb) {
      case 'generateContent':
        return whole(response(model, plan, plan.pieces.join(''), true), plan.pieces.length);
      case 'streamGenerateContent':
        return new URLSearchParams(query).get('alt') === 'sse' ? asEvents(model, plan) : asArray(model, plan);
      case 'countTokens':
        return whole({ totalTokens: plan.usage?.inputTokens ?? 1 }, 0);
      case 'embedContent':
        return whole({ embedding: { values: [0.25, -0.5] } }, 0);
      case 'batchEmbedContents':
        return whole({ embeddings: [{ values: [0.25, -0.5] }] }, 0);
      default:
        return whole({ models: [{ name: 'models/gemini-fake', displayName: 'Fake' }] }, 0);
    }
  },
  error: (code, message) => ({
    error: { code, message, status: code === 429 ? 'RESOURCE_EXHAUSTED' : 'INTERNAL' },
  }),
};

function whole(body: unknown, outputTokens: number): FakeReply {
  return { kind: 'whole', body, outputTokens };
}

function part({ tool }: AnswerPlan, text: string) {
  return tool === undefined
    ? { text }
    : { functionCall: { id: `call_${tool}`, name: tool, args: JSON.parse(text) as unknown } };
}

function response(model: string, plan: AnswerPlan, text: string, last: boolean) {
  const { usage } = plan;
  return {
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts: [part(plan, text)] },
        ...(last ? { finishReason: plan.truncated ? 'MAX_TOKENS' : 'STOP' } : {}),
      },
    ],
    modelVersion: model,
    responseId: 'fake',
    ...(usage === undefined || !last
      ? {}
      : {
          usageMetadata: {
            promptTokenCount: usage.inputTokens,
            candidatesTokenCount: usage.outputTokens,
            totalTokenCount: usage.inputTokens + usage.outputTokens,
          },
        }),
  };
}

/** One response for each piece; the last, which has the finish reason, has no text if there are no pieces. */
function responses(model: string, plan: AnswerPlan) {
  // A tool call is never cut into pieces.
  const pieces = plan.pieces.length === 0 || plan.tool !== undefined ? [plan.pieces.join('')] : plan.pieces;
  return pieces.map((text, index) => ({
    json: JSON.stringify(response(model, plan, text, index === pieces.length - 1)),
    outputTokens: text === '' ? 0 : 1,
  }));
}

function asEvents(model: string, plan: AnswerPlan): FakeReply {
  const pieces = responses(model, plan).map(({ json, outputTokens }): StreamPiece => ({
    bytes: `data: ${json}\r\n\r\n`,
    outputTokens,
  }));
  return { kind: 'stream', contentType: 'text/event-stream', pieces };
}

function asArray(model: string, plan: AnswerPlan): FakeReply {
  const pieces = responses(model, plan).map(({ json, outputTokens }, index): StreamPiece => ({
    bytes: `${index === 0 ? '[' : ',\r\n'}${json}`,
    outputTokens,
  }));
  pieces.push({ bytes: '\r\n]\r\n', outputTokens: 0 });
  return { kind: 'stream', contentType: 'application/json; charset=UTF-8', pieces };
}
