import { describe, expect, it } from 'vitest';
import { cohereChatV1, cohereChatV2 } from '../../../../src/providers/dialects/cohere-chat.ts';
import { cohereRerank } from '../../../../src/providers/dialects/cohere-search.ts';
import type { Dialect } from '../../../../src/providers/dialect.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import { ndjson } from '../../../../src/streams/ndjson.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { readCutAtEachByte } from '../../../support/read-stream.ts';

describe('cohere answers', () => {
  const units = {
    billed_units: { input_tokens: 5, output_tokens: 7 },
    tokens: { input_tokens: 71, output_tokens: 8 },
  };

  it('are charged by billed units, in v2 usage and v1 meta', () => {
    expect(cohereChatV2.answer({ usage: units }).usage).toEqual({ inputTokens: 5, outputTokens: 7 });
    expect(cohereChatV1.answer({ meta: units }).usage).toEqual({ inputTokens: 5, outputTokens: 7 });
  });

  it('are charged by tokens if there are no billed units', () => {
    expect(cohereChatV2.answer({ usage: { tokens: units.tokens } }).usage).toEqual({
      inputTokens: 71,
      outputTokens: 8,
    });
  });

  it('of rerank have search units', () => {
    const meta = { billed_units: { search_units: 3 } };
    expect(cohereRerank.answer({ meta }).usage).toEqual({ inputTokens: 0, outputTokens: 0, searchUnits: 3 });
  });

  it.each([
    {},
    { usage: {} },
    { usage: { billed_units: {} } },
    { usage: { billed_units: { input_tokens: -1 } } },
  ])('have no usage in %j', (body) => {
    expect(cohereChatV2.answer(body).usage).toBeUndefined();
  });

  it('are read for text, thinking, plan and arguments', () => {
    const message = {
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'hello' },
      ],
      tool_plan: 'plan',
      tool_calls: [{ function: { name: 'f', arguments: '{}' } }],
    };
    expect(cohereChatV2.answer({ message }).texts.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      'reasoning: hm',
      'text: hello',
      'reasoning: plan',
      'tool_arguments: {}',
    ]);
  });
});

const UNITS = { billed_units: { input_tokens: 5, output_tokens: 7 } };

describe('cohere streams', () => {
  it('of v2 are read the same at any cut', () => {
    const message = (part: JsonObject) => ({ delta: { message: part } });
    const events: ({ type: string } & JsonObject)[] = [
      { type: 'message-start', id: 'x' },
      { type: 'tool-plan-delta', ...message({ tool_plan: 'plan' }) },
      {
        type: 'tool-call-start',
        index: 0,
        ...message({ tool_calls: { id: 't', type: 'function', function: { name: 'f', arguments: '' } } }),
      },
      {
        type: 'tool-call-delta',
        index: 0,
        ...message({ tool_calls: { function: { arguments: '{"a":1}' } } }),
      },
      { type: 'content-start', index: 0, ...message({ content: { type: 'text', text: '' } }) },
      { type: 'content-delta', index: 0, ...message({ content: { text: 'Grüße ' } }) },
      { type: 'content-delta', index: 0, ...message({ content: { text: '🙂' } }) },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage: UNITS } },
    ];
    const bytes = Buffer.from(
      events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(''),
    );
    expect(readCutAtEachByte(sse, cohereChatV2.stream, bytes)).toEqual([
      {
        texts: { '0/plan': 'plan', '0/tool/0': '{"a":1}', '0/text/0': 'Grüße 🙂' },
        usage: { inputTokens: 5, outputTokens: 7 },
        done: true,
        failed: false,
      },
    ]);
  });

  const v1Events: JsonObject[] = [
    { event_type: 'stream-start', generation_id: 'g' },
    { event_type: 'text-generation', text: 'Grüße ' },
    { event_type: 'text-generation', text: '🙂' },
    { event_type: 'tool-calls-chunk', tool_call_delta: { index: 0, parameters: '{}' } },
    {
      event_type: 'stream-end',
      is_finished: true,
      finish_reason: 'COMPLETE',
      response: { text: 'Grüße 🙂', meta: UNITS },
    },
  ];
  const v1Expected = {
    texts: { '0/text': 'Grüße 🙂', '0/tool/0': '{}', '0/whole/response.text': 'Grüße 🙂' },
    usage: { inputTokens: 5, outputTokens: 7 },
    done: true,
    failed: false,
  };

  it('of v1 are read the same as NDJSON at any cut', () => {
    const bytes = Buffer.from(v1Events.map((each) => `${JSON.stringify(each)}\n`).join(''));
    expect(readCutAtEachByte(ndjson, cohereChatV1.stream, bytes)).toEqual([v1Expected]);
  });

  it('of v1 are read the same as SSE at any cut', () => {
    const bytes = Buffer.from(v1Events.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));
    expect(readCutAtEachByte(sse, cohereChatV1.stream, bytes)).toEqual([v1Expected]);
  });

  it('recognize an error at the end', () => {
    const v2 = { type: 'message-end', delta: { error: 'boom', finish_reason: 'ERROR' } };
    const v1 = { event_type: 'stream-end', finish_reason: 'ERROR_TOXIC', response: {} };
    function read(dialect: Dialect, event: JsonObject) {
      const data = JSON.stringify(event);
      return dialect.stream()?.read({ raw: Buffer.from(data), data }).failed;
    }
    expect(read(cohereChatV2, v2)).toBe(true);
    expect(read(cohereChatV1, v1)).toBe(true);
  });
});
