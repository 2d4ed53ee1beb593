import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../src/json/edit.ts';
import type { Dialect, TokenText } from '../../../src/providers/dialect.ts';
import { type ProviderName, providers } from '../../../src/providers/registry.ts';

/** Lists of tokens spell texts again: each names its text, and can be blanked. */

interface TokenRow {
  readonly name: string;
  readonly provider: ProviderName;
  readonly path: string;
  readonly answer: unknown;
  /** By channel, the text that its tokens spell. */
  readonly whole: readonly [string, string];
  readonly frame: unknown;
  readonly streamed: readonly [string, string];
  /** A member that blanking must remove. */
  readonly emptied: unknown;
}

const listed = (...tokens: string[]) =>
  tokens.map((token) => ({
    token,
    logprob: -0.1,
    bytes: [...Buffer.from(token)],
    top_logprobs: [{ token: 'alternative', logprob: -1, bytes: [1] }],
  }));
const emptied = [
  { token: '***', logprob: -0.1, bytes: null, top_logprobs: [] },
  { token: '***', logprob: -0.1, bytes: null, top_logprobs: [] },
];
const parallel = {
  tokens: ['se', 'cret'],
  token_logprobs: [-0.1, -0.2],
  top_logprobs: [{ alternative: -1 }, { alternative: -2 }],
  text_offset: [0, 2],
};
const parallelEmptied = {
  tokens: ['***', '***'],
  token_logprobs: [-0.1, -0.2],
  top_logprobs: [{}, {}],
  text_offset: [0, 2],
};
const chosen = {
  chosenCandidates: [
    { token: 'se', tokenId: 5, logProbability: -0.1 },
    { token: 'cret', tokenId: 6, logProbability: -0.1 },
  ],
  topCandidates: [{ candidates: [{ token: 'alternative', tokenId: 7 }] }, { candidates: [] }],
};

const ROWS: readonly TokenRow[] = [
  {
    name: 'chat',
    provider: 'openai',
    path: '/v1/chat/completions',
    answer: {
      choices: [
        {
          index: 0,
          message: { content: 'secret' },
          logprobs: { content: listed('se', 'cret'), refusal: null },
        },
      ],
    },
    whole: ['choices.0.message.content', 'secret'],
    frame: {
      choices: [{ index: 1, delta: { content: 'secret' }, logprobs: { content: listed('se', 'cret') } }],
    },
    streamed: ['1/text', 'secret'],
    emptied: { content: emptied },
  },
  {
    name: 'refusals in chat',
    provider: 'openai',
    path: '/v1/chat/completions',
    answer: {
      choices: [{ index: 0, message: { refusal: 'secret' }, logprobs: { refusal: listed('se', 'cret') } }],
    },
    whole: ['choices.0.message.refusal', 'secret'],
    frame: {
      choices: [{ index: 0, delta: { refusal: 'secret' }, logprobs: { refusal: listed('se', 'cret') } }],
    },
    streamed: ['0/refusal', 'secret'],
    emptied: { refusal: emptied },
  },
  {
    name: 'completions',
    provider: 'openai',
    path: '/v1/completions',
    answer: { choices: [{ index: 0, text: 'secret', logprobs: parallel }] },
    whole: ['choices.0.text', 'secret'],
    frame: { choices: [{ index: 0, text: 'secret', logprobs: parallel }] },
    streamed: ['0/text', 'secret'],
    emptied: parallelEmptied,
  },
  {
    name: "Together's chat",
    provider: 'together',
    path: '/v1/chat/completions',
    answer: {
      choices: [{ message: { content: 'secret' }, logprobs: { tokens: ['se', 'cret'], token_ids: [5, 6] } }],
    },
    whole: ['choices.0.message.content', 'secret'],
    frame: {
      choices: [{ delta: { content: 'secret' }, logprobs: { tokens: ['se', 'cret'], token_ids: [5, 6] } }],
    },
    streamed: ['0/text', 'secret'],
    emptied: { tokens: ['***', '***'], token_ids: [0, 0] },
  },
  {
    name: 'responses',
    provider: 'openai',
    path: '/v1/responses',
    answer: {
      output: [
        {
          type: 'message',
          content: [{ type: 'output_text', text: 'secret', logprobs: listed('se', 'cret') }],
        },
      ],
    },
    whole: ['output.0.content.0.text', 'secret'],
    frame: {
      type: 'response.output_text.delta',
      output_index: 2,
      content_index: 1,
      delta: 'secret',
      logprobs: listed('se', 'cret'),
    },
    streamed: ['2/text/1', 'secret'],
    emptied,
  },
  {
    name: 'responses, repeated at the end',
    provider: 'openai',
    path: '/v1/responses',
    answer: { output: [] },
    whole: ['', ''],
    frame: {
      type: 'response.completed',
      response: {
        output: [
          {
            type: 'message',
            content: [{ type: 'output_text', text: 'secret', logprobs: listed('se', 'cret') }],
          },
        ],
      },
    },
    streamed: ['0/repeat/response.output.0.content.0.text', 'secret'],
    emptied,
  },
  {
    name: 'gemini',
    provider: 'gemini',
    path: '/v1beta/models/gemini-x:generateContent',
    answer: { candidates: [{ content: { parts: [{ text: 'secret' }] }, logprobsResult: chosen }] },
    whole: ['candidates.0.content.parts.0.text', 'secret'],
    frame: { candidates: [{ index: 1, content: { parts: [{ text: 'secret' }] }, logprobsResult: chosen }] },
    streamed: ['1/text', 'secret'],
    emptied: {
      chosenCandidates: [
        { token: '***', tokenId: 0, logProbability: -0.1 },
        { token: '***', tokenId: 0, logProbability: -0.1 },
      ],
      topCandidates: [{ candidates: [] }, { candidates: [] }],
    },
  },
  {
    name: 'cohere',
    provider: 'cohere',
    path: '/v2/chat',
    answer: {
      message: { content: [{ type: 'text', text: 'secret' }] },
      logprobs: [
        { text: 'se', token_ids: [1], logprobs: [-0.1] },
        { text: 'cret', token_ids: [2], logprobs: [-0.1] },
      ],
    },
    whole: ['message.content.0.text', 'secret'],
    frame: {
      type: 'content-delta',
      index: 3,
      delta: { message: { content: { text: 'secret' } } },
      logprobs: { text: 'secret', token_ids: [1], logprobs: [-0.1] },
    },
    streamed: ['0/text/3', 'secret'],
    emptied: { text: '***', token_ids: [], logprobs: [-0.1] },
  },
  {
    name: 'ollama',
    provider: 'ollama',
    path: '/api/chat',
    answer: { message: { content: 'secret' }, logprobs: listed('se', 'cret') },
    whole: ['message.content', 'secret'],
    frame: { message: { content: 'secret' }, logprobs: listed('se', 'cret') },
    streamed: ['0/text', 'secret'],
    emptied,
  },
];

function dialectOf({ provider, path }: TokenRow): Dialect {
  const endpoint = providers[provider].endpoint('POST', path);
  if (endpoint === undefined) throw new Error(`${provider} does not read ${path}`);
  return endpoint.dialect;
}

function spelled(tokens: readonly TokenText[] = []): [string, string] {
  return [
    [...new Set(tokens.map(({ channel }) => channel))].join(' '),
    tokens.map(({ text }) => text).join(''),
  ];
}

function blanked(document: unknown, tokens: readonly TokenText[] = []): string {
  const edits = tokens.flatMap(({ blank }) => blank);
  return applyEdits(Buffer.from(JSON.stringify(document)), edits).toString();
}

describe.each(ROWS)('tokens of $name', (row) => {
  it('spell a text of a whole answer, and can be blanked', () => {
    const { tokens } = dialectOf(row).answer(row.answer);
    expect(spelled(tokens)).toEqual(row.whole);
    const left = blanked(row.answer, tokens);
    expect(left).not.toMatch(/"se"|"cret"|alternative/);
  });

  it('spell the text of a frame, and can be blanked', () => {
    const frame = { raw: Buffer.alloc(0), data: JSON.stringify(row.frame) };
    const event = dialectOf(row).stream()?.read(frame);
    expect(spelled(event?.tokens)).toEqual(row.streamed);
    const left = blanked(row.frame, event?.tokens);
    expect(left).toContain(JSON.stringify(row.emptied).slice(1, -1));
    expect(left).not.toMatch(/"se"|"cret"|alternative/);
  });
});

it.each([null, 'x', [null, 1, {}], { content: 7 }, { tokens: [1, null] }, { content: [{ token: 5 }] }])(
  'logprobs like %j are not read as tokens',
  (logprobs) => {
    const answer = { choices: [{ message: { content: 'a' }, logprobs }] };
    const { dialect } = providers.openai.endpoint('POST', '/v1/chat/completions') ?? {};
    expect(dialect?.answer(answer).tokens).toBeUndefined();
  },
);

describe('bytes beside tokens', () => {
  const bytes = (text: string): number[] => [...Buffer.from(text)];
  function read(content: readonly object[]): readonly TokenText[] {
    const { dialect } = providers.openai.endpoint('POST', '/v1/chat/completions') ?? {};
    return dialect?.answer({ choices: [{ message: { content: 'a' }, logprobs: { content } }] }).tokens ?? [];
  }
  function spelledIn(tokens: readonly TokenText[]): Record<string, string> {
    const channels = Object.entries(Object.groupBy(tokens, ({ channel }) => channel));
    return Object.fromEntries(
      channels.map(([channel, own]) => [channel, (own ?? []).map(({ text }) => text).join('')]),
    );
  }

  it.each<[string, string, unknown]>([
    ['the same text', 'héllo \u{1F600}', bytes('héllo \u{1F600}')],
    ['no bytes', 'hello', null],
    ['part of a character, as OpenAI writes it', 'bytes: \\xf0\\x9f', [0x20, 0xf0, 0x9f]],
    ['part of a character, as others write it', 'a\ufffd', [0x61, 0xf0, 0x9f]],
  ])('are not a separate text with %s', (_what, token, said) => {
    expect(spelledIn(read([{ token, bytes: said }]))).toEqual({ 'choices.0.message.content': token });
  });

  it('are a separate text if they differ, joined over the tokens', () => {
    const [first, second] = [bytes('jané@x').slice(0, 4), bytes('jané@x').slice(4)];
    const tokens = read([
      { token: 'one', bytes: first },
      { token: 'two', bytes: null },
      { token: 'three', bytes: second },
    ]);
    expect(spelledIn(tokens)).toEqual({
      'choices.0.message.content': 'onetwothree',
      // The token in between cuts the character.
      'choices.0.message.content/bytes': 'jan\ufffdtwo\ufffd@x',
    });
    expect(
      spelledIn(
        read([
          { token: 'one', bytes: first },
          { token: 'three', bytes: second },
        ]),
      ),
    ).toEqual({
      'choices.0.message.content': 'onethree',
      'choices.0.message.content/bytes': 'jané@x',
    });
  });

  it('are separate texts for alternative tokens', () => {
    const alternative = { token: 'x', logprob: -1, bytes: bytes('jane@example.com') };
    const tokens = read([{ token: 'one', bytes: bytes('one'), top_logprobs: [alternative] }]);
    expect(spelledIn(tokens)).toEqual({
      'choices.0.message.content': 'one',
      'choices.0.message.content/bytes/0/0': 'jane@example.com',
    });
  });

  it('are read with any content', () => {
    for (const odd of [['x', {}, null], [-1, 300, 1.5], [[]], Array<number>(100_000).fill(65)]) {
      expect(spelledIn(read([{ token: 'one', bytes: odd }]))['choices.0.message.content']).toBe('one');
    }
  });
});
