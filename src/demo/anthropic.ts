import { demoAnswer, finiteNumber, type DemoReply, type DemoRequest } from './answer.ts';

const MODELS = ['claude-sonnet-5', 'claude-haiku-4-5'];

export function anthropicReply({ method, path, body }: DemoRequest): DemoReply | undefined {
  if (method === 'GET' && path === '/v1/models') {
    const data = MODELS.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2025-01-01T00:00:00Z',
    }));
    return { kind: 'whole', body: { data, has_more: false, first_id: MODELS[0], last_id: MODELS.at(-1) } };
  }
  if (method !== 'POST') return undefined;
  const answer = demoAnswer(body['messages'], finiteNumber(body['max_tokens']));
  if (path === '/v1/messages/count_tokens') {
    return { kind: 'whole', body: { input_tokens: answer.inputTokens } };
  }
  if (path !== '/v1/messages') return undefined;

  const message = { id: 'msg_demo', type: 'message', role: 'assistant', model: body['model'] };
  const stopReason = answer.truncated ? 'max_tokens' : 'end_turn';
  const usage = { input_tokens: answer.inputTokens, output_tokens: answer.pieces.length };
  if (body['stream'] !== true) {
    const content = [{ type: 'text', text: answer.pieces.join('') }];
    return {
      kind: 'whole',
      body: { ...message, content, stop_reason: stopReason, stop_sequence: null, usage },
    };
  }
  const opening = { ...message, content: [], stop_reason: null, stop_sequence: null };
  return {
    kind: 'stream',
    events: [
      event('message_start', { message: { ...opening, usage: { ...usage, output_tokens: 1 } } }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...answer.pieces.map((text) =>
        event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      ),
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: { output_tokens: usage.output_tokens },
      }),
      event('message_stop', {}),
    ],
  };
}

export function anthropicError(message: string): object {
  return { type: 'error', error: { type: 'not_found_error', message } };
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
