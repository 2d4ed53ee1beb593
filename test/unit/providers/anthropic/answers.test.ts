import { describe, expect, it } from 'vitest';
import { anthropicMessages } from '../../../../src/providers/dialects/anthropic-messages.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { readCutAtEachByte } from '../../../support/read-stream.ts';

describe('anthropic answers', () => {
  it('counts cache reads and writes into the input', () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 4 },
    };
    expect(anthropicMessages.answer({ content: [], usage }).usage).toEqual({
      inputTokens: 240,
      outputTokens: 7,
      cacheReadTokens: 200,
      cacheWriteTokens: 10,
      cacheWrite1hTokens: 20,
      reasoningTokens: 4,
    });
  });

  it('adds the tokens of compaction, which the top-level counts exclude', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 100, output_tokens: 5 },
      { type: 'message', input_tokens: 10, output_tokens: 7 },
    ];
    const usage = { input_tokens: 10, output_tokens: 7, iterations };
    expect(anthropicMessages.answer({ usage }).usage).toMatchObject({ inputTokens: 110, outputTokens: 12 });
  });

  it.each([
    undefined,
    null,
    'x',
    {},
    { usage: { input_tokens: -1, output_tokens: 1 } },
    { usage: { input_tokens: Number.NaN, output_tokens: 1 } },
    { usage: { input_tokens: 2e9, output_tokens: 1 } },
  ])('reads no usage from %j', (body) => {
    expect(anthropicMessages.answer(body).usage).toBeUndefined();
  });

  it('reads an explicit zero as zero', () => {
    const usage = { input_tokens: 0, output_tokens: 0 };
    expect(anthropicMessages.answer({ usage }).usage).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });

  it('reads text, thinking and tool arguments', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'hello' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: { b: 'deep' } } },
    ];
    expect(anthropicMessages.answer({ content }).texts).toEqual([
      { kind: 'reasoning', text: 'hm', path: ['content', 0, 'thinking'], signed: true },
      { kind: 'text', text: 'hello', path: ['content', 1, 'text'] },
      { kind: 'tool_arguments', text: 'deep', path: ['content', 2, 'input', 'a', 'b'] },
      { kind: 'tool_arguments', text: 'a\nb', path: ['content', 2, 'input'], editable: false },
    ]);
  });
});

/** A whole stream: thinking, text with a character of several bytes, a tool call. */
function fixture(): Buffer {
  const events: ({ type: string } & JsonObject)[] = [
    {
      type: 'message_start',
      message: {
        id: 'm',
        role: 'assistant',
        content: [],
        usage: {
          input_tokens: 12,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: null,
          output_tokens: 1,
        },
      },
    },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'let me' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'SIG' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Grüße ' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: '🙂' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
    },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '1}' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 40 } },
    { type: 'message_stop' },
  ];
  return Buffer.from(
    events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  );
}

describe('anthropic streams', () => {
  it('are read the same at any cut', () => {
    expect(readCutAtEachByte(sse, anthropicMessages.stream, fixture())).toEqual([
      {
        texts: { '0/reasoning/0': 'let me', '0/text/1': 'Grüße 🙂', '0/tool/2': '{"a":1}' },
        usage: {
          inputTokens: 112,
          outputTokens: 40,
          cacheReadTokens: 100,
          cacheWriteTokens: 0,
          cacheWrite1hTokens: 0,
        },
        done: true,
        failed: false,
      },
    ]);
  });

  it('recognize an error event', () => {
    const bytes = Buffer.from('event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n');
    expect(readCutAtEachByte(sse, anthropicMessages.stream, bytes)).toEqual([
      { texts: {}, usage: undefined, done: false, failed: true },
    ]);
  });

  it('give the path of each delta in its event', () => {
    const data = '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}';
    const event = anthropicMessages.stream()?.read({ raw: Buffer.from(data), data });
    expect(event?.deltas).toEqual([
      { channel: '0/text/0', kind: 'text', text: 'x', path: ['delta', 'text'], joins: 'text' },
    ]);
  });
});
