import { describe, expect, it } from 'vitest';
import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../../src/answers/new-answer.ts';
import { readAnswer, readFacts } from '../../../../src/answers/read-answer.ts';
import { createAnswerMarksCheck } from '../../../../src/checks/policy/answer-marks.ts';
import { policyCallOf } from '../../../../src/checks/policy/policy-call.ts';
import { mcpMessages } from '../../../../src/mcp/dialect.ts';
import type { StreamRewriter } from '../../../../src/pipeline/check.ts';
import type { Parsed } from '../../../../src/pipeline/exchange.ts';
import type { StreamReader } from '../../../../src/providers/dialect.ts';
import type { StreamFormat } from '../../../../src/streams/frame.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { DIALECT_STREAMS } from '../../../support/dialect-streams.ts';
import { answered, NEW_SESSION, parsed } from '../../../support/exchange.ts';
import { mcpExchange, toolCall } from '../../../support/mcp-exchange.ts';
import { cardsOf } from '../../../support/policy-cards.ts';

/** A card that remembers answers with this text. */
function setThatRemembers(regex: string) {
  const value = { content_regex: regex };
  const cards = cardsOf({
    rules: [
      {
        name: 'r',
        conditions: [{ field: 'session_sequence', op: 'contains_matching_trace', value }],
        action: 'deny',
      },
    ],
  });
  return { ...cards, digest: '', close: () => Promise.resolve() };
}

async function check(request: Parsed, regex: string) {
  const noted: string[] = [];
  const marks = createAnswerMarksCheck({
    mark(_exchange, names) {
      noted.push(...names);
      return Promise.resolve(true);
    },
    onTrouble(cause) {
      throw cause;
    },
  });
  const call = policyCallOf(request);
  if (call === undefined) throw new Error('policies do not judge it');
  request.facts.judged = { set: setThatRemembers(regex), call };
  request.facts.session = { ...NEW_SESSION, state: undefined };
  const state = marks.begin?.() ?? { judged: undefined, noteRest: undefined };
  await marks.requestBody?.(request, state);
  return { marks, state, isRemembered: () => noted.length > 0 };
}

/** Whether a whole answer is remembered, read as the wire reads one. */
async function remembersWhole(request: Parsed, regex: string, said: unknown): Promise<boolean> {
  const { marks, state, isRemembered } = await check(request, regex);
  const read = await readAnswer(answered(request), Buffer.from(JSON.stringify(said)));
  expect(await marks.response?.(await readFacts(read), state)).toEqual({ kind: 'pass' });
  return isRemembered();
}

interface Streamed {
  readonly format: StreamFormat;
  readonly reader: StreamReader | undefined;
  readonly bytes: Buffer;
  readonly before?: readonly StreamRewriter[];
}

/** The same of a stream. */
async function remembersStream(
  request: Parsed,
  regex: string,
  { format, reader, bytes, before = [] }: Streamed,
): Promise<boolean> {
  const { marks, state, isRemembered } = await check(request, regex);
  const rewriter = marks.stream?.(answered(request, { form: 'stream' }), state);
  if (rewriter === undefined || reader === undefined) throw new Error('the answer is not looked at');
  const rewriters = [...before, rewriter];
  const stream = createAnswerStream({ answer: newAnswer(), format, reader, rewriters });
  for (let at = 0; at < bytes.length; at += 16_384) await stream.push(bytes.subarray(at, at + 16_384));
  await stream.end();
  return isRemembered();
}

const result = (value: object) => ({ jsonrpc: '2.0', id: 1, result: value });
const text = (said: string) => ({ type: 'text', text: said });
const base64 = (said: string) => Buffer.from(said).toString('base64');
const resource = (contents: object) => ({ type: 'resource', resource: { uri: 'file:///a', ...contents } });

const ANSWERS: readonly [string, object][] = [
  ['a text', result({ content: [text('this is top secret')] })],
  ['a later part', result({ content: [text('nothing'), text('this is top secret')] })],
  ['two parts with a line break between them', result({ content: [text('this is top'), text('secret')] })],
  ['two parts with nothing between them', result({ content: [text('this is top sec'), text('ret')] })],
  ['an embedded resource', result({ content: [resource({ text: 'top secret' })] })],
  ['an embedded resource in base64', result({ content: [resource({ blob: base64('it is top secret') })] })],
  ['the URI of a resource', result({ content: [{ type: 'resource_link', uri: 'file:///top secret' }] })],
  ['structured content', result({ content: [], structuredContent: { deep: [{ note: 'top secret' }] } })],
  ['a member name', result({ structuredContent: { 'top secret': true } })],
  ['a tool error', result({ isError: true, content: [text('no: top secret')] })],
  ['a protocol error', { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'top secret' } }],
  ['the data of an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'm', data: ['top secret'] } }],
  ['a disguise', result({ content: [text('top s\u200becr\u0435t')] })],
  ['an escape inside a text', result({ content: [text('{"note":"top \\u0073ecret"}')] })],
  ['the contents of a resource', result({ contents: [{ uri: 'file:///a', text: 'top secret' }] })],
  ['a prompt', result({ messages: [{ role: 'user', content: text('top secret') }] })],
];

describe('an answer of an MCP server is remembered by', () => {
  const event = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
  const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } };

  it.each(ANSWERS)('%s, in JSON and in events', async (_what, said) => {
    const request = mcpExchange({ body: toolCall('read') });
    const reader = mcpMessages.stream(request.request);
    const regex = '(?i)top\\s+secret';
    expect(await remembersWhole(request, regex, said)).toBe(true);
    const bytes = Buffer.from(event(progress) + event(said));
    expect(await remembersStream(request, regex, { format: sse, reader, bytes })).toBe(true);
    expect(await remembersWhole(request, 'another thing', said)).toBe(false);
  });

  it('no word of the protocol', async () => {
    const request = mcpExchange({ body: toolCall('read') });
    const said = result({ content: [text('x')], structuredContent: {}, isError: false });
    expect(await remembersWhole(request, '(?i)text|content|jsonrpc|result|type', said)).toBe(false);
  });

  it('a number and a boolean', async () => {
    const request = mcpExchange({ body: toolCall('read') });
    const said = result({ structuredContent: { amount: 4711, paid: false } });
    expect(await remembersWhole(request, '^4711$', said)).toBe(true);
    expect(await remembersWhole(request, '^false$', said)).toBe(true);
  });

  it('a text that another check masks in the stream', async () => {
    const request = mcpExchange({ body: toolCall('read') });
    const masking: StreamRewriter = {
      event: () => ({
        kind: 'rewrite',
        edits: [{ kind: 'set', path: ['result', 'content', 0, 'text'], value: '***' }],
      }),
    };
    const bytes = Buffer.from(event(result({ content: [text('top secret')] })));
    const streamed = { format: sse, reader: mcpMessages.stream(request.request), bytes, before: [masking] };
    expect(await remembersStream(request, 'top secret', streamed)).toBe(true);
  });

  it('a text far from the beginning of a long one', async () => {
    const request = mcpExchange({ body: toolCall('read') });
    const said = result({ content: [text(`${'lorem ipsum '.repeat(60_000)}top secret`)] });
    expect(await remembersWhole(request, 'top secret', said)).toBe(true);
  });
});

describe('a streamed completion is remembered by each of its texts', () => {
  const chat = () => parsed({ body: { model: 'm', messages: [{ role: 'user', content: 'hi' }] } });

  it.each(DIALECT_STREAMS)('$name, even if they are interleaved', async (dialect) => {
    const pieces = [...dialect.wrap('it is top secret')].flatMap((letter) => [
      { of: 0 as const, text: letter },
      { of: 1 as const, text: '.' },
    ]);
    const streamed = () => ({
      format: dialect.format,
      reader: dialect.createReader(),
      bytes: dialect.write(pieces),
    });
    expect(await remembersStream(chat(), 'top secret', streamed())).toBe(true);
    expect(await remembersStream(chat(), 'another thing', streamed())).toBe(false);
  });

  it('of any length, even if a match continues past the judged part', async () => {
    const [dialect] = DIALECT_STREAMS;
    if (dialect === undefined) throw new Error('there is a dialect');
    for (const filler of [262_140, 300_000]) {
      const bytes = dialect.write([
        ...Array.from({ length: Math.ceil(filler / 1_000) }, () => ({
          of: 0 as const,
          text: 'x'.repeat(1_000),
        })),
        { of: 0, text: ' top se' },
        { of: 0, text: 'cret' },
      ]);
      const streamed = { format: dialect.format, reader: dialect.createReader(), bytes };
      expect(await remembersStream(chat(), 'top secret', streamed)).toBe(true);
    }
  });
});

describe('a whole completion is remembered by', () => {
  it.each<[string, Parameters<typeof parsed>[0], object]>([
    [
      'a text of OpenAI',
      { body: { model: 'm', messages: [] } },
      { choices: [{ index: 0, message: { role: 'assistant', content: 'top secret' } }] },
    ],
    [
      'arguments of OpenAI',
      { body: { model: 'm', messages: [] } },
      {
        choices: [
          {
            index: 0,
            message: { tool_calls: [{ function: { name: 'note', arguments: '{"n":"top secret"}' } }] },
          },
        ],
      },
    ],
    [
      'two blocks of Anthropic that clients join',
      { provider: 'anthropic', path: '/v1/messages', body: { messages: [], max_tokens: 1, model: 'c' } },
      { type: 'message', content: [text('top'), text(' secret')] },
    ],
    [
      'parts of Gemini',
      { provider: 'gemini', path: '/v1beta/models/g:generateContent', body: { contents: [] } },
      { candidates: [{ content: { parts: [{ text: 'top ' }, { text: 'secret' }] } }] },
    ],
    [
      'an output item of Responses',
      { path: '/v1/responses', body: { model: 'm', input: 'x' } },
      { output: [{ type: 'message', content: [{ type: 'output_text', text: 'top secret' }] }] },
    ],
  ])('%s', async (_what, request, said) => {
    expect(await remembersWhole(parsed(request), 'top secret', said)).toBe(true);
    expect(await remembersWhole(parsed(request), 'another thing', said)).toBe(false);
  });
});
