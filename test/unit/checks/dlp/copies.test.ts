import { describe, expect, it } from 'vitest';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { ndjson } from '../../../../src/streams/ndjson.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { endpointOf, sentOf } from '../../../support/judged-stream.ts';

const [FIRST, SECOND] = ['AKIAQWERTY', 'UIOPASDFGH'] as const;
const MAIL = ['Ask john.doe', '@example.com now.'] as const;

type Events = (first: string, second: string) => readonly object[];

interface Row {
  readonly name: string;
  readonly provider?: ProviderName;
  readonly path?: string;
  readonly events: Events;
}

const choice = (members: object): object => ({ choices: [{ index: 0, ...members }] });
const said = (content: string): object => choice({ delta: { content } });
const response = (type: string, more: object): object => ({
  type: `response.${type}`,
  output_index: 0,
  content_index: 0,
  ...more,
});
const block = (type: string, more: object): object => ({ type, index: 0, ...more });

const RESPONSES = { path: '/v1/responses' } as const;
const ANTHROPIC = { provider: 'anthropic', path: '/v1/messages' } as const;
const COHERE = { provider: 'cohere', path: '/v1/chat' } as const;
const OLLAMA = { provider: 'ollama', path: '/api/chat' } as const;

/** Streams with one half in streamed text, and the other in members that some clients read too. */
const SPLIT: readonly Row[] = [
  { name: 'chat: a message after deltas', events: (a, b) => [said(a), choice({ message: { content: b } })] },
  {
    name: 'chat: a message beside an empty delta',
    events: (a, b) => [said(a), choice({ delta: {}, message: { content: b } })],
  },
  {
    name: 'chat: a message beside a delta',
    events: (a, b) => [said(a), choice({ delta: { content: ' ' }, message: { content: b } })],
  },
  {
    name: 'chat: a delta after a message',
    events: (a, b) => [choice({ message: { content: a } }), said(b)],
  },
  {
    name: 'chat: a delta after a message beside a delta',
    events: (a, b) => [choice({ delta: { content: 'x ' }, message: { content: a } }), said(b)],
  },
  {
    name: 'chat: messages beside deltas',
    events: (a, b) => [
      choice({ delta: { content: 'x ' }, message: { content: a } }),
      choice({ delta: { content: 'y ' }, message: { content: b } }),
    ],
  },
  {
    name: 'chat: messages beside deltas with the same text',
    events: (a, b) => [
      choice({ delta: { content: a }, message: { content: a } }),
      said(' ! '),
      choice({ delta: { content: b }, message: { content: b } }),
    ],
  },
  {
    name: 'chat: deltas around a message',
    events: (a, b) => [said(a), choice({ message: { content: ' ! ' } }), said(b)],
  },
  {
    name: 'chat: deltas around a message beside an empty delta',
    events: (a, b) => [said(a), choice({ delta: {}, message: { content: ' ! ' } }), said(b)],
  },
  { name: 'chat: a text beside an empty delta', events: (a, b) => [said(a), choice({ delta: {}, text: b })] },
  {
    name: 'chat: a delta after a text',
    events: (a, b) => [said('x '), choice({ delta: {}, text: a }), said(b)],
  },
  {
    name: 'chat: texts beside deltas',
    events: (a, b) => [
      choice({ delta: { content: 'x ' }, text: a }),
      choice({ delta: { content: 'y ' }, text: b }),
    ],
  },
  {
    name: 'chat: parts of a message',
    events: (a, b) => [said(a), choice({ delta: {}, message: { content: [{ type: 'text', text: b }] } })],
  },
  {
    name: 'chat: reasoning in a message',
    events: (a, b) => [choice({ delta: { reasoning: a } }), choice({ delta: {}, message: { reasoning: b } })],
  },
  {
    name: 'responses: a finished text',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.delta', { delta: a }),
      response('output_text.done', { text: b }),
    ],
  },
  {
    name: 'responses: a finished part',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.delta', { delta: a }),
      response('content_part.done', { part: { type: 'output_text', text: b } }),
    ],
  },
  {
    name: 'responses: a finished item',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.delta', { delta: a }),
      response('output_item.done', {
        item: { type: 'message', content: [{ type: 'output_text', text: b }] },
      }),
    ],
  },
  {
    name: 'responses: a complete response',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.delta', { delta: a }),
      response('completed', {
        response: { output: [{ type: 'message', content: [{ type: 'output_text', text: b }] }] },
      }),
    ],
  },
  {
    name: 'responses: the start of a part',
    ...RESPONSES,
    events: (a, b) => [
      response('content_part.added', { part: { type: 'output_text', text: a } }),
      response('output_text.delta', { delta: b }),
    ],
  },
  {
    name: 'responses: the start of an item',
    ...RESPONSES,
    events: (a, b) => [
      response('output_item.added', {
        item: { type: 'message', content: [{ type: 'output_text', text: a }] },
      }),
      response('output_text.delta', { delta: b }),
    ],
  },
  {
    name: 'responses: two copies of one text',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.done', { text: a }),
      response('content_part.done', { part: { type: 'output_text', text: b } }),
    ],
  },
  {
    name: 'responses: a refusal',
    ...RESPONSES,
    events: (a, b) => [response('refusal.delta', { delta: a }), response('refusal.done', { refusal: b })],
  },
  {
    name: 'Anthropic: a delta of an unknown type',
    ...ANTHROPIC,
    events: (a, b) => [
      block('content_block_delta', { delta: { type: 'text_delta', text: a } }),
      block('content_block_delta', { delta: { type: 'new_delta', text: b } }),
    ],
  },
  {
    name: 'Anthropic: text in a delta of arguments',
    ...ANTHROPIC,
    events: (a, b) => [
      block('content_block_delta', { delta: { type: 'text_delta', text: a } }),
      block('content_block_delta', { delta: { type: 'input_json_delta', partial_json: '', text: b } }),
    ],
  },
  {
    name: 'Anthropic: a delta of an unknown event',
    ...ANTHROPIC,
    events: (a, b) => [
      block('content_block_delta', { delta: { type: 'text_delta', text: a } }),
      block('new_event', { delta: { text: b } }),
    ],
  },
  {
    name: 'Anthropic: a message that starts with text',
    ...ANTHROPIC,
    events: (a, b) => [
      { type: 'message_start', message: { content: [{ type: 'text', text: a }] } },
      block('content_block_start', { content_block: { type: 'text', text: b } }),
    ],
  },
  {
    name: 'Cohere v1: more text in the last event',
    ...COHERE,
    events: (a, b) => [
      { event_type: 'text-generation', text: a },
      { event_type: 'stream-end', response: { text: b } },
    ],
  },
  {
    name: 'Cohere v1: an unknown event',
    ...COHERE,
    events: (a, b) => [
      { event_type: 'text-generation', text: a },
      { event_type: 'new-event', text: b },
    ],
  },
  {
    name: 'Cohere v1: text in the first event',
    ...COHERE,
    events: (a, b) => [
      { event_type: 'stream-start', text: a },
      { event_type: 'text-generation', text: b },
    ],
  },
  {
    name: 'Ollama: a response after a message',
    ...OLLAMA,
    events: (a, b) => [{ message: { content: a } }, { response: b }],
  },
  {
    name: 'Ollama: messages around a response',
    ...OLLAMA,
    events: (a, b) => [{ message: { content: a } }, { response: ' ! ' }, { message: { content: b } }],
  },
];

function stream({ provider = 'openai', path = '/v1/chat/completions' }: Row, events: readonly object[]) {
  const isLines = provider === 'ollama';
  const bytes = Buffer.from(
    events
      .map((event) => (isLines ? `${JSON.stringify(event)}\n` : `data: ${JSON.stringify(event)}\n\n`))
      .join(''),
  );
  return sentOf({ format: isLines ? ndjson : sse, endpoint: endpointOf(provider, path) }, bytes);
}

describe('a text in two places', () => {
  it.each(SPLIT)('never passes a secret that is split between them: $name', async (row) => {
    for (const [first, second] of [[FIRST, SECOND], MAIL] as const) {
      const out = (await stream(row, row.events(first, second))).toString();
      expect([out.includes(first), out.includes(second)]).not.toEqual([true, true]);
    }
  });

  it.each(SPLIT)('passes if the halves are innocent: $name', async (row) => {
    const out = (await stream(row, row.events('One. ', ' Two. '))).toString();
    expect(out).toContain('One.');
    expect(out).toContain('Two.');
    expect(out).not.toContain('upstream_unavailable');
  });

  it.each(SPLIT)('is searched in each place: $name', async (row) => {
    for (const [first, second] of [
      [`${FIRST}${SECOND} `, 'x. '],
      ['x. ', ` ${FIRST}${SECOND} `],
    ] as const) {
      expect((await stream(row, row.events(first, second))).toString()).not.toContain(FIRST + SECOND);
    }
  });
});

/** Repeats by servers are not new text. */
const AGAIN: readonly Row[] = [
  {
    name: 'chat: the whole message so far in every chunk',
    events: (a, b) => [
      said('Say'),
      choice({ delta: { content: a }, message: { content: `Say${a}` } }),
      choice({ delta: { content: b }, message: { content: `Say${a}${b}` } }),
    ],
  },
  {
    name: 'chat: the whole message at the end',
    events: (a, b) => [
      said(a),
      said(b),
      choice({ delta: {}, finish_reason: 'stop', message: { content: a + b } }),
    ],
  },
  {
    name: 'chat: a text beside each delta',
    events: (a, b) => [
      choice({ delta: { content: a }, text: a }),
      choice({ delta: { content: b }, text: b }),
    ],
  },
  {
    name: 'responses',
    ...RESPONSES,
    events: (a, b) => [
      response('content_part.added', { part: { type: 'output_text', text: '' } }),
      response('output_text.delta', { delta: a }),
      response('output_text.delta', { delta: b }),
      response('output_text.done', { text: a + b }),
      response('content_part.done', { part: { type: 'output_text', text: a + b } }),
      response('output_item.done', {
        item: { type: 'message', content: [{ type: 'output_text', text: a + b }] },
      }),
      response('completed', {
        response: { output: [{ type: 'message', content: [{ type: 'output_text', text: a + b }] }] },
      }),
    ],
  },
  {
    name: 'responses: three messages with the same index',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.delta', { delta: a }),
      response('output_text.done', { text: a }),
      response('output_text.delta', { delta: b.slice(0, 5) }),
      response('output_text.delta', { delta: b.slice(5) }),
      response('output_text.done', { text: b }),
      response('output_text.delta', { delta: 'again' }),
    ],
  },
  {
    name: 'Cohere v1',
    ...COHERE,
    events: (a, b) => [
      { event_type: 'text-generation', text: a },
      { event_type: 'text-generation', text: b },
      { event_type: 'stream-end', response: { text: a + b } },
    ],
  },
];

it.each(AGAIN)('a repeated text changes nothing: $name', async (row) => {
  const out = (await stream(row, row.events(' to the ', 'open end of a word'))).toString();
  expect(out).not.toContain('upstream_unavailable');
  expect(out).toContain('word');
});

describe('a text that continues elsewhere, in pieces too small to judge', () => {
  const [letter, rest] = [SECOND.slice(0, 1), SECOND.slice(1)] as const;
  const rows: readonly Row[] = [
    {
      name: 'a delta after a text',
      events: (a) => [said('x '), choice({ delta: {}, text: a }), said(letter), said(rest)],
    },
    {
      name: 'a delta after a message',
      events: (a) => [said('x '), choice({ delta: {}, message: { content: a } }), said(letter), said(rest)],
    },
    {
      name: 'a delta after the start of a part',
      ...RESPONSES,
      events: (a) => [
        response('content_part.added', { part: { type: 'output_text', text: a } }),
        response('output_text.delta', { delta: letter }),
        response('output_text.delta', { delta: rest }),
      ],
    },
  ];

  it.each(rows)('ends its stream: $name', async (row) => {
    const out = (await stream(row, row.events(FIRST, ''))).toString();
    expect(out).toContain('upstream_unavailable');
    expect(out).not.toContain(rest);
  });
});
