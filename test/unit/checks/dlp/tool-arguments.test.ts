import { describe, expect, it } from 'vitest';
import { sse } from '../../../../src/streams/sse.ts';
import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import type { JsonObject } from '../../../../src/json/is-object.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { answered, AWS_KEY, dlp, EMAIL, judgeAnswer } from './rig.ts';

/** `server.dlp.scan_tool_arguments: false`: agents write files through arguments. */
const passing = () => dlp({ scan_tool_arguments: false, action: 'mask' });

interface Sample {
  readonly what: string;
  readonly provider: ProviderName;
  readonly path: string;
  /** An answer with this text and these arguments. */
  readonly whole: (text: string, value: string) => JsonObject;
  readonly events: (text: string, value: string) => readonly JsonObject[];
}

const json = (value: string): string => JSON.stringify({ path: '.env', content: value });

const SAMPLES: readonly Sample[] = [
  {
    what: 'openai chat',
    provider: 'openai',
    path: '/v1/chat/completions',
    whole: (content, value) => ({
      choices: [
        {
          index: 0,
          message: {
            content,
            tool_calls: [{ id: 'c', function: { name: 'write', arguments: json(value) } }],
          },
        },
      ],
    }),
    events: (content, value) => [
      { choices: [{ index: 0, delta: { content } }] },
      {
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [{ index: 0, id: 'c', function: { name: 'write', arguments: json(value) } }],
            },
          },
        ],
      },
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    ],
  },
  {
    what: 'anthropic',
    provider: 'anthropic',
    path: '/v1/messages',
    whole: (text, content) => ({
      content: [
        { type: 'text', text },
        { type: 'tool_use', id: 't', name: 'write', input: { path: '.env', content } },
      ],
    }),
    events: (text, value) => [
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't', name: 'write', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: json(value) },
      },
      { type: 'content_block_stop', index: 1 },
    ],
  },
  {
    what: 'openai responses',
    provider: 'openai',
    path: '/v1/responses',
    whole: (text, value) => ({
      output: [
        { type: 'message', content: [{ type: 'output_text', text }] },
        { type: 'function_call', name: 'write', call_id: 'c', arguments: json(value) },
      ],
    }),
    events: (delta, value) => [
      { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta },
      { type: 'response.output_text.done', item_id: 'm', output_index: 0, content_index: 0, text: delta },
      { type: 'response.function_call_arguments.delta', item_id: 'f', output_index: 1, delta: json(value) },
      {
        type: 'response.function_call_arguments.done',
        item_id: 'f',
        output_index: 1,
        arguments: json(value),
      },
    ],
  },
  {
    what: 'gemini',
    provider: 'gemini',
    path: '/v1beta/models/m:streamGenerateContent',
    whole: (text, content) => ({
      candidates: [
        {
          content: {
            parts: [{ text }, { functionCall: { name: 'write', args: { path: '.env', content } } }],
          },
        },
      ],
    }),
    events: (text, content) => [
      { candidates: [{ index: 0, content: { parts: [{ text }] } }] },
      {
        candidates: [
          { index: 0, content: { parts: [{ functionCall: { name: 'write', args: { content } } }] } },
        ],
      },
      { candidates: [{ index: 0, content: { parts: [] }, finishReason: 'STOP' }] },
    ],
  },
];

async function wholeSent(
  { provider, path, whole }: Sample,
  rig: ReturnType<typeof dlp>,
  text: string,
  value: string,
) {
  const at = path.replace('stream', '').replace(':Gen', ':gen');
  const answer = answered({ provider, path: at, body: whole(text, value) });
  const { body } = await judgeAnswer(rig, answer);
  return { sent: JSON.parse(body ?? 'null') as unknown };
}

async function streamSent(
  { provider, path, events }: Sample,
  rig: ReturnType<typeof dlp>,
  text: string,
  value: string,
) {
  const exchange = { ...answered({ provider, path, body: {} }), form: 'stream' } as const;
  const reader = exchange.endpoint.dialect.stream(exchange.request);
  const rewriter = rig.check.stream?.(exchange, undefined);
  if (reader === undefined || rewriter === undefined) throw new Error('no stream');
  const parts = createAnswerStream({ answer: exchange.answer, format: sse, reader, rewriters: [rewriter] });
  const body = events(text, value)
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join('');
  const out: Buffer[] = [];
  for (let at = 0; at < body.length; at += 37)
    out.push((await parts.push(Buffer.from(body.slice(at, at + 37)))).bytes);
  out.push((await parts.end()).bytes);
  return Buffer.concat(out).toString();
}

describe.each(SAMPLES)('tool arguments, $what', (sample) => {
  const text = 'I write to nobody.';
  const value = `KEY=${AWS_KEY}\nMAIL=${EMAIL}`;

  it('pass unchanged, whole, and unreported', async () => {
    const rig = passing();
    const { sent } = await wholeSent(sample, rig, text, value);
    expect(sent).toEqual(sample.whole(text, value));
    expect([rig.leaks, rig.classes]).toEqual([[], []]);
  });

  it('pass unchanged in a stream, event by event', async () => {
    const rig = passing();
    const sent = await streamSent(sample, rig, text, value);
    // The end of the text may be sent with a later event.
    const carrying = sample.events(text, value).map((event) => JSON.stringify(event));
    for (const event of carrying.filter((one) => one.includes(AWS_KEY))) expect(sent).toContain(event);
    expect([rig.leaks, rig.classes]).toEqual([[], []]);
  });

  it('are the only exception: the same value in a text beside them is masked', async () => {
    const said = `It is ${AWS_KEY} of ${EMAIL}.`;
    const { sent } = await wholeSent(sample, passing(), said, value);
    expect(sent).toEqual(sample.whole('It is *** of ***.', value));
    const streamed = await streamSent(sample, passing(), said, value);
    expect(streamed.split(AWS_KEY).length).toBe(
      JSON.stringify(sample.events('', value)).split(AWS_KEY).length,
    );
    expect(streamed).toContain('It is ');
  });

  it('that equal a text of the answer do not exempt that text', async () => {
    const { sent } = await wholeSent(sample, passing(), AWS_KEY, AWS_KEY);
    expect(sent).toEqual(sample.whole('***', AWS_KEY));
  });

  it('are searched by default', async () => {
    expect(
      JSON.stringify((await wholeSent(sample, dlp({ action: 'mask' }), text, value)).sent),
    ).not.toContain(AWS_KEY);
    expect(await streamSent(sample, dlp({ action: 'mask' }), text, value)).not.toContain(AWS_KEY);
  });
});
