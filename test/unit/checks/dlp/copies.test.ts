import { describe, expect, it } from 'vitest';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { ndjson } from '../../../../src/streams/ndjson.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { endpointOf, sentOf } from '../../../support/judged-stream.ts';

const [FIRST, SECOND] = ['AKIAQWERTY', 'UIOPASDFGH'] as const;
const MAIL = ['Ask john.doe', '@example.com now.'] as const;

type Events = (first: string, second: string) => readonly object[];
type Row = readonly [name: string, events: Events];

const choice = (members: object): object => ({ choices: [{ index: 0, ...members }] });
const said = (content: string): object => choice({ delta: { content } });
const message = (content: string, delta: object = {}): object => choice({ delta, message: { content } });
const aside = (text: string, delta: object = {}): object => choice({ delta, text });

const response = (type: string, more: object): object => ({
  type: `response.${type}`,
  output_index: 0,
  content_index: 0,
  ...more,
});
const part = (text: string): object => ({ type: 'output_text', text });
const item = (text: string): object => ({ type: 'message', content: [part(text)] });
const delta = (text: string): object => response('output_text.delta', { delta: text });
const done = (text: string): object => response('output_text.done', { text });
const partAdded = (text: string): object => response('content_part.added', { part: part(text) });
const partDone = (text: string): object => response('content_part.done', { part: part(text) });
const itemDone = (text: string): object => response('output_item.done', { item: item(text) });
const completed = (text: string): object => response('completed', { response: { output: [item(text)] } });

const block = (type: string, more: object): object => ({ type, index: 0, ...more });
const blockDelta = (type: string, more: object): object =>
  block('content_block_delta', { delta: { type, ...more } });

const generated = (text: string): object => ({ event_type: 'text-generation', text });
const streamEnd = (text: string): object => ({ event_type: 'stream-end', response: { text } });

/** Streams with one half in streamed text, and the other in members that some clients read too. */
const SPLIT: readonly Row[] = [
  ['chat: a message after deltas', (a, b) => [said(a), choice({ message: { content: b } })]],
  ['chat: a message beside an empty delta', (a, b) => [said(a), message(b)]],
  ['chat: a message beside a delta', (a, b) => [said(a), message(b, { content: ' ' })]],
  ['chat: a delta after a message', (a, b) => [choice({ message: { content: a } }), said(b)]],
  ['chat: a delta after a message beside a delta', (a, b) => [message(a, { content: 'x ' }), said(b)]],
  ['chat: messages beside deltas', (a, b) => [message(a, { content: 'x ' }), message(b, { content: 'y ' })]],
  [
    'chat: messages beside deltas with the same text',
    (a, b) => [message(a, { content: a }), said(' ! '), message(b, { content: b })],
  ],
  ['chat: deltas around a message', (a, b) => [said(a), choice({ message: { content: ' ! ' } }), said(b)]],
  ['chat: deltas around a message beside an empty delta', (a, b) => [said(a), message(' ! '), said(b)]],
  ['chat: a text beside an empty delta', (a, b) => [said(a), aside(b)]],
  ['chat: a delta after a text', (a, b) => [said('x '), aside(a), said(b)]],
  ['chat: texts beside deltas', (a, b) => [aside(a, { content: 'x ' }), aside(b, { content: 'y ' })]],
  [
    'chat: parts of a message',
    (a, b) => [said(a), choice({ delta: {}, message: { content: [{ type: 'text', text: b }] } })],
  ],
  [
    'chat: reasoning in a message',
    (a, b) => [choice({ delta: { reasoning: a } }), choice({ delta: {}, message: { reasoning: b } })],
  ],
  ['responses: a finished text', (a, b) => [delta(a), done(b)]],
  ['responses: a finished part', (a, b) => [delta(a), partDone(b)]],
  ['responses: a finished item', (a, b) => [delta(a), itemDone(b)]],
  ['responses: a complete response', (a, b) => [delta(a), completed(b)]],
  ['responses: the start of a part', (a, b) => [partAdded(a), delta(b)]],
  ['responses: the start of an item', (a, b) => [response('output_item.added', { item: item(a) }), delta(b)]],
  ['responses: two copies of one text', (a, b) => [done(a), partDone(b)]],
  [
    'responses: a refusal',
    (a, b) => [response('refusal.delta', { delta: a }), response('refusal.done', { refusal: b })],
  ],
  [
    'anthropic: a delta of an unknown type',
    (a, b) => [blockDelta('text_delta', { text: a }), blockDelta('new_delta', { text: b })],
  ],
  [
    'anthropic: text in a delta of arguments',
    (a, b) => [
      blockDelta('text_delta', { text: a }),
      blockDelta('input_json_delta', { partial_json: '', text: b }),
    ],
  ],
  [
    'anthropic: a delta of an unknown event',
    (a, b) => [blockDelta('text_delta', { text: a }), block('new_event', { delta: { text: b } })],
  ],
  [
    'anthropic: a message that starts with text',
    (a, b) => [
      { type: 'message_start', message: { content: [{ type: 'text', text: a }] } },
      block('content_block_start', { content_block: { type: 'text', text: b } }),
    ],
  ],
  ['cohere v1: more text in the last event', (a, b) => [generated(a), streamEnd(b)]],
  ['cohere v1: an unknown event', (a, b) => [generated(a), { event_type: 'new-event', text: b }]],
  ['cohere v1: text in the first event', (a, b) => [{ event_type: 'stream-start', text: a }, generated(b)]],
  ['ollama: a response after a message', (a, b) => [{ message: { content: a } }, { response: b }]],
  [
    'ollama: messages around a response',
    (a, b) => [{ message: { content: a } }, { response: ' ! ' }, { message: { content: b } }],
  ],
];

const ENDPOINTS: Readonly<Record<string, readonly [provider: ProviderName, path: string]>> = {
  chat: ['openai', '/v1/chat/completions'],
  responses: ['openai', '/v1/responses'],
  anthropic: ['anthropic', '/v1/messages'],
  'cohere v1': ['cohere', '/v1/chat'],
  ollama: ['ollama', '/api/chat'],
};

/** @param name begins with the endpoint */
async function stream(name: string, events: readonly object[]): Promise<string> {
  const [provider, path] = ENDPOINTS[/^[^:]*/.exec(name)?.[0] ?? ''] ?? ['openai', ''];
  const isLines = provider === 'ollama';
  const bytes = Buffer.from(
    events
      .map((event) => (isLines ? `${JSON.stringify(event)}\n` : `data: ${JSON.stringify(event)}\n\n`))
      .join(''),
  );
  const sent = await sentOf({ format: isLines ? ndjson : sse, endpoint: endpointOf(provider, path) }, bytes);
  return sent.toString();
}

describe('a text in two places', () => {
  it.each(SPLIT)('never passes a secret that is split between them: %s', async (name, events) => {
    for (const [first, second] of [[FIRST, SECOND], MAIL] as const) {
      const out = await stream(name, events(first, second));
      expect([out.includes(first), out.includes(second)]).not.toEqual([true, true]);
    }
  });

  it.each(SPLIT)('passes if the halves are innocent: %s', async (name, events) => {
    const out = await stream(name, events('One. ', ' Two. '));
    expect(out).toContain('One.');
    expect(out).toContain('Two.');
    expect(out).not.toContain('upstream_unavailable');
  });

  it.each(SPLIT)('is searched in each place: %s', async (name, events) => {
    expect(await stream(name, events(`${FIRST}${SECOND} `, 'x. '))).not.toContain(FIRST + SECOND);
    expect(await stream(name, events('x. ', ` ${FIRST}${SECOND} `))).not.toContain(FIRST + SECOND);
  });
});

/** Repeats by servers are not new text. */
it.each<Row>([
  [
    'chat: the whole message so far in every chunk',
    (a, b) => [said('Say'), message(`Say${a}`, { content: a }), message(`Say${a}${b}`, { content: b })],
  ],
  [
    'chat: the whole message at the end',
    (a, b) => [said(a), said(b), choice({ delta: {}, finish_reason: 'stop', message: { content: a + b } })],
  ],
  ['chat: a text beside each delta', (a, b) => [aside(a, { content: a }), aside(b, { content: b })]],
  [
    'responses',
    (a, b) => [
      ...[partAdded(''), delta(a), delta(b)],
      ...[done(a + b), partDone(a + b), itemDone(a + b), completed(a + b)],
    ],
  ],
  [
    'responses: three messages with the same index',
    (a, b) => [...[delta(a), done(a)], ...[delta(b.slice(0, 5)), delta(b.slice(5)), done(b)], delta('again')],
  ],
  ['cohere v1', (a, b) => [generated(a), generated(b), streamEnd(a + b)]],
])('a repeated text changes nothing: %s', async (name, events) => {
  const out = await stream(name, events(' to the ', 'open end of a word'));
  expect(out).not.toContain('upstream_unavailable');
  expect(out).toContain('word');
});

describe('a text that continues elsewhere, in pieces too small to judge', () => {
  const [letter, rest] = [SECOND.slice(0, 1), SECOND.slice(1)] as const;

  it.each<Row>([
    ['chat: a delta after a text', (a) => [said('x '), aside(a), said(letter), said(rest)]],
    ['chat: a delta after a message', (a) => [said('x '), message(a), said(letter), said(rest)]],
    ['responses: a delta after the start of a part', (a) => [partAdded(a), delta(letter), delta(rest)]],
  ])('ends its stream: %s', async (name, events) => {
    const out = await stream(name, events(FIRST, ''));
    expect(out).toContain('upstream_unavailable');
    expect(out).not.toContain(rest);
  });
});
