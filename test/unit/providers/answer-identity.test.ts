import { describe, expect, it } from 'vitest';
import { createIdentityReader } from '../../../src/providers/answer-identity.ts';

function told(...documents: unknown[]) {
  const reader = createIdentityReader();
  for (const document of documents) reader.add(document);
  return reader.identity;
}

const CHAT = { id: 'chatcmpl-1', object: 'chat.completion.chunk' };

describe('the id and finish reasons of an answer', () => {
  it.each<[string, unknown[], string | undefined, string[]]>([
    [
      'OpenAI chat',
      [{ id: 'chatcmpl-1', choices: [{ finish_reason: 'stop' }, { finish_reason: 'length' }] }],
      'chatcmpl-1',
      ['stop', 'length'],
    ],
    [
      'OpenAI chat, streamed, the second choice first',
      [
        { ...CHAT, choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }] },
        { ...CHAT, choices: [{ index: 1, delta: {}, finish_reason: 'tool_calls' }] },
        { ...CHAT, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        { ...CHAT, choices: [] },
      ],
      'chatcmpl-1',
      ['stop', 'tool_calls'],
    ],
    [
      'OpenAI Responses',
      [{ id: 'resp_1', object: 'response', status: 'completed' }],
      'resp_1',
      ['completed'],
    ],
    [
      'OpenAI Responses, streamed',
      [
        { type: 'response.created', response: { id: 'resp_1', object: 'response', status: 'in_progress' } },
        { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'a' },
        {
          type: 'response.incomplete',
          response: {
            id: 'resp_1',
            object: 'response',
            status: 'incomplete',
            incomplete_details: { reason: 'max_output_tokens' },
          },
        },
      ],
      'resp_1',
      ['max_output_tokens'],
    ],
    ['Anthropic', [{ id: 'msg_1', stop_reason: 'end_turn' }], 'msg_1', ['end_turn']],
    [
      'Anthropic, streamed',
      [
        { type: 'message_start', message: { id: 'msg_1', stop_reason: null } },
        { type: 'content_block_start', content_block: { type: 'tool_use', id: 'toolu_1' } },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      ],
      'msg_1',
      ['tool_use'],
    ],
    ['Gemini', [{ responseId: 'r1', candidates: [{ finishReason: 'STOP' }] }], 'r1', ['STOP']],
    ['Bedrock Converse', [{ output: {}, stopReason: 'end_turn' }], undefined, ['end_turn']],
    ['Cohere', [{ id: 'c-1', finish_reason: 'COMPLETE' }], 'c-1', ['COMPLETE']],
    [
      'Cohere, streamed',
      [
        { type: 'message-start', id: 'c-1' },
        { type: 'message-end', delta: { finish_reason: 'MAX_TOKENS' } },
      ],
      'c-1',
      ['MAX_TOKENS'],
    ],
    ['Ollama', [{ model: 'm', done: true, done_reason: 'stop' }], undefined, ['stop']],
  ])('%s', (_dialect, documents, id, finishReasons) => {
    expect(told(...documents)).toEqual({ id, finishReasons });
  });

  it('are single words, not text in their place', () => {
    const text = { id: 'my password is hunter2', stop_reason: 'Because I was told to' };
    expect(told(text, 'text', null, [text])).toEqual({ id: undefined, finishReasons: [] });
    const choices = Array.from({ length: 1_000 }, (_, index) => ({ index, finish_reason: 'stop' }));
    expect(
      told({ choices }, { choices: [{ index: 999, finish_reason: 'stop' }] }).finishReasons,
    ).toHaveLength(16);
  });
});
