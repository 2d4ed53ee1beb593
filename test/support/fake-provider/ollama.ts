import type { AnswerPlan, FakeHandler, FakeReply, FakeRequest } from './handler.ts';

const POST: ReadonlySet<string> = new Set(['/api/chat', '/api/generate', '/api/embed']);

/** Ollama's own API; its streams are lines of JSON. */
export const ollamaHandler: FakeHandler = {
  name: 'ollama',
  matches: (method, path) => (method === 'POST' ? POST.has(path) : path === '/api/tags'),
  outputLimit: ({ json }) => (json.options as { num_predict?: number } | undefined)?.num_predict,
  reply(request, plan) {
    if (request.method !== 'POST') return whole({ models: [{ name: 'llama-fake', model: 'llama-fake' }] }, 0);
    if (request.path === '/api/embed') {
      return whole(
        { model: request.json.model, embeddings: [[0.1, 0.2]], prompt_eval_count: plan.usage?.inputTokens },
        0,
      );
    }
    if (request.json.stream === false) {
      return whole(line(request, plan, plan.pieces.join(''), true), plan.pieces.length);
    }
    const lines = [
      ...plan.pieces.map((text) => ({ line: line(request, plan, text, false), outputTokens: 1 })),
      { line: line(request, plan, '', true), outputTokens: 0 },
    ];
    return {
      kind: 'stream',
      contentType: 'application/x-ndjson',
      pieces: lines.map((each) => ({
        bytes: `${JSON.stringify(each.line)}\n`,
        outputTokens: each.outputTokens,
      })),
    };
  },
  error: (_, message) => ({ error: message }),
};

function whole(body: unknown, outputTokens: number): FakeReply {
  return { kind: 'whole', body, outputTokens };
}

function line(request: FakeRequest, plan: AnswerPlan, text: string, done: boolean) {
  const words =
    request.path === '/api/chat' ? { message: { role: 'assistant', content: text } } : { response: text };
  return {
    model: request.json.model,
    created_at: '2026-01-01T00:00:00Z',
    ...words,
    done,
    ...(done && { done_reason: plan.truncated ? 'length' : 'stop', total_duration: 1 }),
    ...(done &&
      plan.usage && { prompt_eval_count: plan.usage.inputTokens, eval_count: plan.usage.outputTokens }),
  };
}
