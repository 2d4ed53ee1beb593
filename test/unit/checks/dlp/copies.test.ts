import { describe, expect, it } from 'vitest';
import { Copies, TextPrint } from '../../../../src/checks/dlp/stream/copies.ts';
import type { ProviderName } from '../../../../src/providers/provider.ts';
import { ndjson } from '../../../../src/streams/ndjson.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { contentDetector } from '../../../support/dlp-rewriter.ts';
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

/** Streams that say one half where text is streamed, and the other where some clients look as well. */
const SPLIT: readonly Row[] = [
  { name: 'chat: a message behind deltas', events: (a, b) => [said(a), choice({ message: { content: b } })] },
  {
    name: 'chat: a message beside an empty delta',
    events: (a, b) => [said(a), choice({ delta: {}, message: { content: b } })],
  },
  {
    name: 'chat: a message beside a delta',
    events: (a, b) => [said(a), choice({ delta: { content: ' ' }, message: { content: b } })],
  },
  {
    name: 'chat: a delta behind a message',
    events: (a, b) => [choice({ message: { content: a } }), said(b)],
  },
  {
    name: 'chat: a delta behind a message beside a delta',
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
    name: 'chat: messages beside deltas that they mirror',
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
    name: 'chat: a delta behind a text',
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
    name: 'responses: a text that is done',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.delta', { delta: a }),
      response('output_text.done', { text: b }),
    ],
  },
  {
    name: 'responses: a part that is done',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.delta', { delta: a }),
      response('content_part.done', { part: { type: 'output_text', text: b } }),
    ],
  },
  {
    name: 'responses: an item that is done',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.delta', { delta: a }),
      response('output_item.done', {
        item: { type: 'message', content: [{ type: 'output_text', text: b }] },
      }),
    ],
  },
  {
    name: 'responses: a response that is complete',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.delta', { delta: a }),
      response('completed', {
        response: { output: [{ type: 'message', content: [{ type: 'output_text', text: b }] }] },
      }),
    ],
  },
  {
    name: 'responses: a part that begins',
    ...RESPONSES,
    events: (a, b) => [
      response('content_part.added', { part: { type: 'output_text', text: a } }),
      response('output_text.delta', { delta: b }),
    ],
  },
  {
    name: 'responses: an item that begins',
    ...RESPONSES,
    events: (a, b) => [
      response('output_item.added', {
        item: { type: 'message', content: [{ type: 'output_text', text: a }] },
      }),
      response('output_text.delta', { delta: b }),
    ],
  },
  {
    name: 'responses: two copies',
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
    name: 'Anthropic: a message that begins with text',
    ...ANTHROPIC,
    events: (a, b) => [
      { type: 'message_start', message: { content: [{ type: 'text', text: a }] } },
      block('content_block_start', { content_block: { type: 'text', text: b } }),
    ],
  },
  {
    name: 'Cohere v1: the end says more',
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
    name: 'Cohere v1: the start says it',
    ...COHERE,
    events: (a, b) => [
      { event_type: 'stream-start', text: a },
      { event_type: 'text-generation', text: b },
    ],
  },
  {
    name: 'Ollama: a response behind a message',
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

describe('a text that is said in two places', () => {
  it.each(SPLIT)('is never a secret of which each holds a half: $name', async (row) => {
    for (const [first, second] of [[FIRST, SECOND], MAIL] as const) {
      const out = (await stream(row, row.events(first, second))).toString();
      expect([out.includes(first), out.includes(second)]).not.toEqual([true, true]);
    }
  });

  it.each(SPLIT)('passes where the halves are none: $name', async (row) => {
    const out = (await stream(row, row.events('One. ', ' Two. '))).toString();
    expect(out).toContain('One.');
    expect(out).toContain('Two.');
    expect(out).not.toContain('upstream_unavailable');
  });

  it.each(SPLIT)('is searched where it stands: $name', async (row) => {
    for (const [first, second] of [
      [`${FIRST}${SECOND} `, 'x. '],
      ['x. ', ` ${FIRST}${SECOND} `],
    ] as const) {
      expect((await stream(row, row.events(first, second))).toString()).not.toContain(FIRST + SECOND);
    }
  });
});

/** What servers say again is no new text. */
const AGAIN: readonly Row[] = [
  {
    name: 'chat: the whole message so far in each chunk',
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
    name: 'responses: two messages under one number',
    ...RESPONSES,
    events: (a, b) => [
      response('output_text.delta', { delta: a }),
      response('output_text.done', { text: a }),
      response('output_text.delta', { delta: b }),
      response('output_text.done', { text: b }),
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

it.each(AGAIN)('a text that is said again changes nothing: $name', async (row) => {
  const out = (await stream(row, row.events(' to the ', 'open end of a word'))).toString();
  expect(out).not.toContain('upstream_unavailable');
  expect(out).toContain('word');
});

describe('a print', () => {
  it('knows its text again, whatever pieces it came in, and its last piece', () => {
    const print = new TextPrint();
    for (const piece of ['Grüße', ', ', '世界 🙂']) print.add(piece);
    expect(
      ['Grüße, 世界 🙂', 'Grüße, 世界 🙁', 'rüße, 世界 🙂G', '世界 🙂'].map((text) => print.isWhole(text)),
    ).toEqual([true, false, false, false]);
    expect([print.isLast('世界 🙂'), print.isLast('Grüße, 世界 🙂')]).toEqual([true, false]);
  });

  it('tells texts apart that differ in one place', () => {
    const text = 'the quick brown fox jumps over the lazy dog';
    const print = new TextPrint();
    print.add(text);
    for (let at = 0; at < text.length; at += 1) {
      for (const letter of 'az0 ') {
        const other = text.slice(0, at) + letter + text.slice(at + 1);
        expect(print.isWhole(other)).toBe(other === text);
      }
    }
  });
});

describe('texts beside channels', () => {
  const NO_TAILS = { tail: '', tailBefore: '' };
  const copies = (): Copies => new Copies(contentDetector());

  it('are of bounded number', () => {
    const many = copies();
    expect(() => {
      for (let n = 0; n < 2_000; n += 1) many.stray(`0/${String(n)}`, NO_TAILS, 'x', 'whole');
    }).toThrow(/too much/);
  });

  it('are forgotten once their channel has gone on without them', () => {
    const one = copies();
    one.stray('0/text', { tail: 'x. ', tailBefore: '' }, 'Fine. ', 'whole');
    one.goOn('0/text', 'and on ');
    expect(() => one.goOn('0/text', `${FIRST}${SECOND}`)).not.toThrow();
  });

  it('are held against the last 1024 characters of what was said, and 4096 of what follows', () => {
    const far = copies();
    far.stray('0/text', NO_TAILS, `${FIRST}${' '.repeat(1_024)}`, 'whole');
    expect(() => far.goOn('0/text', SECOND)).not.toThrow();
    const near = copies();
    near.stray('0/text', NO_TAILS, `${' '.repeat(2_000)}${FIRST}`, 'whole');
    expect(() => near.goOn('0/text', `${SECOND} `)).toThrow(/two places/);
  });
});
