import { demoAnswer, finiteNumber, type DemoAnswer, type DemoReply, type DemoRequest } from './answer.ts';
import { isObject } from '../json/is-object.ts';

const MODELS = ['gpt-4o', 'gpt-4o-mini'];

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

/** Serves OpenAI's Responses API, for Codex. */
export function responsesReply({ method, path, body }: DemoRequest): DemoReply | undefined {
  if (method !== 'POST' || path !== '/v1/responses') return undefined;
  const { input } = body;
  const messages = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  const answer = demoAnswer(messages, finiteNumber(body['max_output_tokens']));
  const head = { id: 'resp_demo', object: 'response', created_at: Math.floor(Date.now() / 1000) };
  const started = { ...head, model: body['model'], status: 'in_progress', error: null, output: [] };
  const finished = { ...started, ...ending(answer) };
  return body['stream'] === true
    ? { kind: 'stream', events: streamed(answer, started, finished) }
    : { kind: 'whole', body: finished };
}

function ending(answer: DemoAnswer): { readonly status: string; readonly [member: string]: unknown } {
  const { truncated, inputTokens, pieces } = answer;
  return {
    status: truncated ? 'incomplete' : 'completed',
    incomplete_details: truncated ? { reason: 'max_output_tokens' } : null,
    output: [message(pieces.join(''))],
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: pieces.length,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + pieces.length,
    },
  };
}

function message(text: string): object {
  return {
    id: 'msg_demo',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

function streamed(answer: DemoAnswer, started: object, finished: { readonly status: string }): string[] {
  const text = answer.pieces.join('');
  const position = { item_id: 'msg_demo', output_index: 0, content_index: 0 };
  const part = { type: 'output_text', annotations: [] };
  const item = { ...message(''), status: 'in_progress', content: [] };
  const events: readonly (readonly [type: string, members: object])[] = [
    ['response.created', { response: started }],
    ['response.output_item.added', { output_index: 0, item }],
    ['response.content_part.added', { ...position, part: { ...part, text: '' } }],
    ...answer.pieces.map((delta) => ['response.output_text.delta', { ...position, delta }] as const),
    ['response.output_text.done', { ...position, text }],
    ['response.content_part.done', { ...position, part: { ...part, text } }],
    ['response.output_item.done', { output_index: 0, item: message(text) }],
    [`response.${finished.status}`, { response: finished }],
  ];
  return events.map(
    ([type, members], index) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: index, ...members })}\n\n`,
  );
}
