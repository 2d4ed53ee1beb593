import { describe, expect, it } from 'vitest';
import { createAnyJsonReader } from '../../../src/providers/dialects/any-json.ts';
import { providers } from '../../../src/providers/registry.ts';
import type { CutPayload, ProviderName } from '../../../src/providers/provider.ts';

const REFUSAL = { type: 'dlp_quarantine', message: 'no' } as const;
const CHUNK = { id: 'c1', object: 'chat.completion.chunk', created: 5, model: 'm', choices: [{ delta: {} }] };

const openaiError = { message: 'no', type: 'dlp_quarantine', param: null, code: 'dlp_quarantine' };
const choices = [{ index: 0, delta: { content: '' }, finish_reason: 'error' }];
const chat = {
  error: openaiError,
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 5,
  model: 'm',
  choices,
};

const ROWS: readonly (readonly [ProviderName, string, Omit<CutPayload, 'json'> & { json: object }])[] = [
  ['openai', '/v1/chat/completions', { json: chat }],
  ['mistral', '/v1/chat/completions', { json: chat }],
  ['openai', '/v1/completions', { json: chat }],
  ['openai', '/v1/responses', { event: 'error', json: { error: openaiError } }],
  [
    'anthropic',
    '/v1/messages',
    { event: 'error', json: { error: { type: 'dlp_quarantine', message: 'no' } } },
  ],
  [
    'gemini',
    '/v1beta/models/g:streamGenerateContent',
    { json: { error: { code: 403, message: 'no', status: 'PERMISSION_DENIED' } } },
  ],
  [
    'bedrock',
    '/model/amazon.nova-lite-v1%3A0/converse-stream',
    { event: 'validationException', json: { message: 'no' } },
  ],
  [
    'bedrock',
    '/model/anthropic.claude-3-x/invoke-with-response-stream',
    { event: 'validationException', json: { message: 'no' } },
  ],
  [
    'cohere',
    '/v2/chat',
    { event: 'dlp_quarantine', json: { message: 'no', delta: { finish_reason: 'ERROR', error: 'no' } } },
  ],
  [
    'cohere',
    '/v1/chat',
    {
      json: {
        message: 'no',
        event_type: 'stream-end',
        is_finished: true,
        finish_reason: 'ERROR',
        response: { text: '', finish_reason: 'ERROR' },
      },
    },
  ],
  ['ollama', '/api/chat', { json: { error: 'no' } }],
];

describe('a frame that cuts a stream', () => {
  it.each(ROWS)(
    'of %s %s has our type at its top level, and the error of its dialect',
    (name, path, expected) => {
      const reader = providers[name].endpoint('POST', path)?.dialect.stream();
      reader?.read({ raw: Buffer.alloc(0), data: JSON.stringify(CHUNK) });
      const cut = reader?.cut(REFUSAL);
      expect(cut).toEqual({ ...expected, json: { type: 'dlp_quarantine', ...expected.json } });
      expect(Object.keys(cut?.json ?? {})[0]).toBe('type');
    },
  );

  it('of no known dialect is our own error', () => {
    expect(createAnyJsonReader().cut(REFUSAL)).toEqual({ json: { type: 'dlp_quarantine', error: 'no' } });
  });
});
