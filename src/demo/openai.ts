import { demoAnswer, finiteNumber, type DemoReply, type DemoRequest } from './answer.ts';
import { isObject } from '../json/is-object.ts';

const MODELS = ['gpt-4o', 'gpt-4o-mini'];

/** Serves OpenAI's chat completions and model list. */
export function openaiReply({ method, path, body }: DemoRequest): DemoReply | undefined {
  if (method === 'GET' && path === '/v1/models') {
    const data = MODELS.map((id) => ({ id, object: 'model', created: 0, owned_by: 'demo' }));
    return { kind: 'whole', body: { object: 'list', data } };
  }
  if (method !== 'POST' || path !== '/v1/chat/completions') return undefined;
  const limit = finiteNumber(body['max_completion_tokens']) ?? finiteNumber(body['max_tokens']);
  const answer = demoAnswer(body['messages'], limit);
  const head = { id: 'chatcmpl-demo', created: Math.floor(Date.now() / 1000), model: body['model'] };
  const finish = answer.truncated ? 'length' : 'stop';
  const usage = {
    prompt_tokens: answer.inputTokens,
    completion_tokens: answer.pieces.length,
    total_tokens: answer.inputTokens + answer.pieces.length,
  };
  if (body['stream'] !== true) {
    const message = { role: 'assistant', content: answer.pieces.join('') };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return { kind: 'whole', body: { ...head, object: 'chat.completion', choices, usage } };
  }
  const chunk = (delta: object, finishReason: string | null): string =>
    event({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    });
  const options = body['stream_options'];
  const wantsUsage = isObject(options) && options['include_usage'] === true;
  return {
    kind: 'stream',
    events: [
      chunk({ role: 'assistant', content: '' }, null),
      ...answer.pieces.map((content) => chunk({ content }, null)),
      chunk({}, finish),
      ...(wantsUsage ? [event({ ...head, object: 'chat.completion.chunk', choices: [], usage })] : []),
      'data: [DONE]\n\n',
    ],
  };
}

export function openaiErrorBody(message: string): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: null } };
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
