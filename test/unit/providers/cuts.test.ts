import { describe, expect, it } from 'vitest';
import { createAnyJsonReader } from '../../../src/providers/dialects/any-json.ts';
import type { CutPayload } from '../../../src/providers/dialect.ts';
import { type ProviderName, providers } from '../../../src/providers/registry.ts';

const REFUSAL = { type: 'dlp_quarantine', message: 'no' } as const;
const CHUNK = { id: 'c1', object: 'chat.completion.chunk', created: 5, model: 'm', choices: [{ delta: {} }] };

const type = 'dlp_quarantine';
const openaiError = { message: 'no', type, param: null, code: '403' };
const chat = { json: { error: openaiError, type } };
const chunk = {
  error: openaiError,
  type,
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'm',
  choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
};
const withheld = {
  json: {
    ...{ id: '', object: 'chat.completion.chunk', created: 0, model: '' },
    choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }],
    type,
  },
};
const anthropicError = { type, message: 'no' };
const exception = [{ event: 'validationException', json: { message: 'no', type } }];
const cohereEnd = { finish_reason: 'ERROR', error: 'no' };

const ROWS: readonly (readonly [ProviderName, string, readonly CutPayload[]])[] = [
  ['openai', '/v1/chat/completions', [chat, withheld]],
  ['groq', '/v1/chat/completions', [chat, withheld]],
  ['mistral', '/v1/chat/completions', [chat, { json: chunk, pad: 8192 }]],
  ['mistral', '/v1/fim/completions', [chat, { json: chunk, pad: 8192 }]],
  ['openai', '/v1/completions', [chat, withheld]],
  [
    'anthropic',
    '/v1/messages',
    [
      { event: 'error', json: { error: anthropicError, type } },
      { event: 'error', json: { error: anthropicError, type: 'error' } },
    ],
  ],
  [
    'gemini',
    '/v1beta/models/g:streamGenerateContent',
    [
      {
        json: { error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' }, type },
        line: 'error: dlp_quarantine: no',
      },
    ],
  ],
  ['bedrock', '/model/amazon.nova-lite-v1%3A0/converse-stream', exception],
  ['bedrock', '/model/anthropic.claude-3-x/invoke-with-response-stream', exception],
  [
    'cohere',
    '/v2/chat',
    [
      { event: type, json: { error: 'no', type, message: 'no', delta: cohereEnd } },
      { event: 'message-end', json: { type: 'message-end', delta: cohereEnd } },
    ],
  ],
  [
    'cohere',
    '/v1/chat',
    [
      {
        json: {
          error: 'no',
          type,
          message: 'no',
          event_type: 'stream-end',
          is_finished: true,
          finish_reason: 'ERROR',
          response: { text: '', finish_reason: 'ERROR' },
        },
      },
    ],
  ],
  ['ollama', '/api/chat', [{ json: { error: 'no', type } }]],
];

describe('the frames that cut a stream', () => {
  it.each(ROWS)(
    'of %s %s are the errors of its dialect, with our type at the top level of the first',
    (name, path, expected) => {
      const reader = providers[name].endpoint('POST', path)?.dialect.stream();
      reader?.read({ raw: Buffer.alloc(0), data: JSON.stringify(CHUNK) });
      const cut = reader?.cut(REFUSAL);
      expect(cut).toEqual(expected);
      const [first] = Object.keys(cut?.[0]?.json ?? {});
      expect(first).toBe(name === 'bedrock' ? 'message' : 'error');
    },
  );

  it.each([
    ['dlp_quarantine', 'invalid_prompt'],
    ['upstream_unavailable', 'server_error'],
  ] as const)('of a response are three errors: %s has the code %s', (refused, code) => {
    const reader = providers.openai.endpoint('POST', '/v1/responses')?.dialect.stream();
    const response = { id: 'r1', created_at: 7, model: 'm', instructions: 'none of their business' };
    const created = { type: 'response.created', sequence_number: 3, response };
    reader?.read({ raw: Buffer.alloc(0), data: JSON.stringify(created) });
    const cut = reader?.cut({ type: refused, message: 'no' });
    expect(cut).toMatchObject([
      { event: 'error', json: { error: { message: 'no', type: refused }, type: refused } },
      { event: 'error', json: { type: 'error', code, message: 'no', param: null, sequence_number: 4 } },
      {
        event: 'response.failed',
        json: {
          type: 'response.failed',
          sequence_number: 5,
          response: { id: 'r1', created_at: 7, model: 'm', status: 'failed', error: { code, message: 'no' } },
        },
      },
    ]);
    expect(JSON.stringify(cut)).not.toContain('business');
  });

  it('end each choice with a reason of its dialect, without repeating text', () => {
    const reader = providers.openai.endpoint('POST', '/v1/completions')?.dialect.stream();
    const choices = [
      { index: 1, text: 'a' },
      { index: 0, text: 'b' },
      { index: 4539148803436467 },
      { index: 0 },
    ];
    const last = { id: 'secret', object: 'text_completion', model: 'secret', choices };
    reader?.read({ raw: Buffer.alloc(0), data: JSON.stringify(last) });
    expect(reader?.cut(REFUSAL).at(-1)?.json).toEqual({
      ...{ id: '', object: 'text_completion', created: 0, model: '' },
      choices: [
        { index: 1, text: '', finish_reason: 'content_filter' },
        { index: 0, text: '', finish_reason: 'content_filter' },
      ],
      type,
    });
  });

  it('of an unknown dialect are the gateway’s own error', () => {
    expect(createAnyJsonReader().cut(REFUSAL)).toEqual([{ json: { error: 'no', type } }]);
  });
});
