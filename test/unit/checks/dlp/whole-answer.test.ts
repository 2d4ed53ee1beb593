import { describe, expect, it } from 'vitest';
import { READABLE_PARAMETERS, UNREADABLE_PARAMETERS } from '../../../support/charsets.ts';
import { seededRandom } from '../../detectors/secrets/samples.ts';
import { ADDRESS, answered, AWS_KEY, CARD, dlp, EMAIL, judgeAnswer, PHONE, SSN } from './rig.ts';
import type { AnswerInput } from './rig.ts';

async function masked(input: AnswerInput): Promise<string | undefined> {
  return (await judgeAnswer(dlp(), answered(input))).body;
}

const chat = (message: object, more: object = {}): object => ({
  choices: [{ index: 0, message: { role: 'assistant', ...message }, ...more }],
});

describe('an answer that is JSON', () => {
  it.each([
    ['content', { content: `to ${EMAIL}!` }, { content: 'to ***!' }],
    [
      'content parts',
      { content: [{ type: 'text', text: SSN }] },
      { content: [{ type: 'text', text: '***' }] },
    ],
    ['reasoning', { reasoning_content: `call ${PHONE}` }, { reasoning_content: 'call ***' }],
    ['refusal', { refusal: `not to ${EMAIL}` }, { refusal: 'not to ***' }],
    [
      'members that no dialect knows',
      { x_new: { deep: [{ note: SSN }] } },
      { x_new: { deep: [{ note: '***' }] } },
    ],
    ['numbers', { content: 'ok', card: Number(CARD) }, { content: 'ok', card: '***' }],
    [
      'arguments, which stay JSON',
      { tool_calls: [{ id: 'c', function: { name: 'f', arguments: `{"n":${CARD},"to":"${EMAIL}"}` } }] },
      { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"n":"***","to":"***"}' } }] },
    ],
    [
      'arguments with escapes',
      {
        tool_calls: [
          { id: 'c', function: { name: 'f', arguments: `{"to":"${EMAIL.replace('@', '\\u0040')}"}` } },
        ],
      },
      { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"to":"***"}' } }] },
    ],
  ])('is masked in its %s', async (_place, said, expected) => {
    expect(await masked({ body: chat(said) })).toBe(JSON.stringify(chat(expected)));
  });

  it('loses a member whose name is a finding', async () => {
    const body = chat({ content: '', x: { before: 1, [EMAIL]: 'paid', after: 2 } });
    expect(await masked({ body })).toBe(JSON.stringify(chat({ content: '', x: { before: 1, after: 2 } })));
  });

  it('loses a member whose name is a finding, and whose value is one', async () => {
    const body = (x: object): object => chat({ content: '', x });
    const before = body({
      a: 1,
      [EMAIL]: SSN,
      b: { [SSN]: [EMAIL, Number(CARD)] },
      c: { [CARD]: { d: EMAIL } },
    });
    expect(await masked({ body: before })).toBe(JSON.stringify(body({ a: 1, b: {}, c: {} })));
  });

  it('is masked in a number that is too long for a double, as it is written', async () => {
    const card = ['4539', '1488', '0343', '6460', '003'].join('');
    expect(String(Number(card))).not.toBe(card);
    const body = (n: string): string => `{"choices":[],"x":[{"id":12345678901234567890},{"n":${n} }]}`;
    expect(await masked({ body: body(card) })).toBe(body('"***"'));
  });

  it('stays byte for byte as it was where nothing is found, and around strings that hold something', async () => {
    const around = (text: string): string =>
      `{ "choices" :[ {"message": {"content":"${text}","b":"caf\\u00e9 \\/ é","a":1.50 }}],\r\n\t"n":1e3 }\n`;
    expect(await masked({ body: around('fine \\u0021') })).toBe(around('fine \\u0021'));
    expect(await masked({ body: around(`to ${EMAIL}\\n`) })).toBe(around('to ***\\n'));
  });

  it('is masked as a plain document where it is an error of any form', async () => {
    for (const body of [{ error: { message: `no ${EMAIL}` } }, [`no ${EMAIL}`], `no ${EMAIL}`]) {
      const text = JSON.stringify(body);
      const { body: out } = await judgeAnswer(dlp(), answered({ body: text, status: 400 }));
      expect(out).toBe(text.replace(EMAIL, '***'));
    }
  });

  it('tells the name of a member to the detectors, as it stands before a value', async () => {
    const rig = dlp({ action: 'mask' });
    const secret = 'wJ4hPq8' + 'rT2vXz6LmN0bKd3FgY5sCe1uAi9oQwErTyUi';
    const body = JSON.stringify(chat({ content: 'x', env: { aws_secret_access_key: secret.slice(0, 40) } }));
    const { body: out } = await judgeAnswer(rig, answered({ body }));
    expect(out).toBe(body.replace(secret.slice(0, 40), '***'));
  });

  it('empties a signed text, whose signature stays', async () => {
    const content = [{ type: 'thinking', thinking: `I saw ${EMAIL}`, signature: 'c2ln' }];
    const exchange = answered({
      body: { content },
      provider: 'anthropic',
      path: '/v1/messages',
      facts: {
        texts: [
          { kind: 'reasoning', text: `I saw ${EMAIL}`, path: ['content', 0, 'thinking'], signed: true },
        ],
      },
    });
    const { body } = await judgeAnswer(dlp(), exchange);
    expect(body).toBe(JSON.stringify({ content: [{ ...content[0], thinking: '' }] }));
  });

  it('withholds a signed text with a secret like any other', async () => {
    const text = `key ${AWS_KEY}`;
    const facts = { texts: [{ kind: 'reasoning', text, path: ['thinking'], signed: true }] } as const;
    const { verdict } = await judgeAnswer(dlp(), answered({ body: { thinking: text }, facts }));
    expect(verdict).toMatchObject({ kind: 'deny', type: 'dlp_quarantine' });
  });

  it('leaves sealed and encoded members alone, whatever their letters happen to spell', async () => {
    const random = seededRandom(5);
    const bytes = Buffer.from(Array.from({ length: 60_000 }, () => Math.floor(random() * 256)));
    const noise = `${bytes.toString('base64')}/${AWS_KEY}/AAAA`;
    expect(await masked({ body: { note: noise } })).toBeUndefined();
    const sealed = { signature: noise, parts: [{ data: noise }, { url: `data:image/png;base64,${noise}` }] };
    expect(await masked({ body: sealed })).toBe(JSON.stringify(sealed));
  });

  it('looks at what only claims to be sealed or encoded', async () => {
    expect(await masked({ body: { signature: EMAIL } })).toBe('{"signature":"***"}');
    const long = `${EMAIL} ${'x'.repeat(600)}`;
    expect(await masked({ body: { data: long } })).toBe(JSON.stringify({ data: long.replace(EMAIL, '***') }));
    const url = `data:text/plain;base64,${'x'.repeat(600)} ${EMAIL}`;
    expect(await masked({ body: { url } })).toBe(JSON.stringify({ url: url.replace(EMAIL, '***') }));
    const { verdict } = await judgeAnswer(dlp(), answered({ body: { data: AWS_KEY } }));
    expect(verdict).toMatchObject({ kind: 'deny', type: 'dlp_quarantine' });
  });

  it('looks at what a model calls so in arguments', async () => {
    const data = `${'A'.repeat(600)}/${AWS_KEY}/`;
    const facts = { texts: [{ kind: 'tool_arguments', text: data, path: ['input', 'data'] }] } as const;
    expect(await masked({ body: { input: { data } }, facts })).toBeUndefined();
  });

  it('masks one text alike however often it is repeated', async () => {
    const body = { output: Array.from({ length: 50 }, () => ({ text: `to ${EMAIL}` })) };
    expect(await masked({ body })).toBe(JSON.stringify(body).replaceAll(EMAIL, '***'));
  });
});

describe('tokens with their probabilities', () => {
  const answer = (text: string, tokens: readonly string[]): AnswerInput => ({
    body: { text, tokens },
    facts: {
      texts: [{ kind: 'text', text, path: ['text'] }],
      tokens: tokens.map((token, index) => ({
        channel: 'text',
        text: token,
        blank: [{ kind: 'set', path: ['tokens', index], value: '***' }],
      })),
    },
  });
  const half = EMAIL.length >> 1;
  const pieces = [' to', ' ', EMAIL.slice(0, half), EMAIL.slice(half), '!', ' Bye'];

  it('are blanked where they spell a finding, and no others', async () => {
    expect(await masked(answer(pieces.join(''), pieces))).toBe(
      JSON.stringify({ text: ' to ***! Bye', tokens: [' to', ' ', '***', '***', '!', ' Bye'] }),
    );
  });

  it('are all blanked where they do not spell the text that holds one', async () => {
    expect(await masked(answer(`to ${EMAIL}`, ['to', '?', EMAIL.slice(0, half)]))).toBe(
      JSON.stringify({ text: 'to ***', tokens: ['***', '***', '***'] }),
    );
  });

  it('are blanked where only they spell a finding', async () => {
    expect(await masked(answer('nothing', pieces))).toBe(
      JSON.stringify({ text: 'nothing', tokens: [' to', ' ', '***', '***', '!', ' Bye'] }),
    );
  });
});

describe('bytes beside tokens', () => {
  const bytes = (text: string): number[] => [...Buffer.from(text)];
  const half = EMAIL.length >> 1;
  const blank = { token: '***', bytes: null, top_logprobs: [] };
  const answer = (content: string, tokens: readonly object[]): object =>
    chat({ content }, { logprobs: { content: tokens } });

  it('are searched where they spell something else than their tokens, and blanked with them', async () => {
    const tokens = (first: object, second: object): object[] => [
      { token: 'no', bytes: bytes('to '), top_logprobs: [] },
      first,
      second,
      { token: '.', bytes: bytes('.'), top_logprobs: [] },
    ];
    const body = answer(
      'nothing.',
      tokens(
        { token: 'th', bytes: bytes(EMAIL.slice(0, half)), top_logprobs: [] },
        { token: 'ing', bytes: bytes(EMAIL.slice(half)), top_logprobs: [] },
      ),
    );
    expect(await masked({ body })).toBe(JSON.stringify(answer('nothing.', tokens(blank, blank))));
  });

  it('are searched beside tokens that could have been chosen', async () => {
    const alternative = { token: 'x', bytes: bytes(EMAIL) };
    const body = answer('no', [{ token: 'no', bytes: bytes('no'), top_logprobs: [alternative] }]);
    expect(await masked({ body })).toBe(JSON.stringify(answer('no', [blank])));
  });

  it('withhold an answer for a secret', async () => {
    const body = answer(
      'no',
      [...AWS_KEY].map((letter) => ({ token: 'n', bytes: bytes(letter) })),
    );
    const { verdict } = await judgeAnswer(dlp(), answered({ body }));
    expect(verdict).toMatchObject({ kind: 'deny', type: 'dlp_quarantine' });
  });

  it('stay where they are part of a character, and go with a text that holds something', async () => {
    const said = (content: string): object =>
      answer(content, [
        { token: 'bytes:\\xf0\\x9f', bytes: [0xf0, 0x9f], top_logprobs: [] },
        { token: 'bytes:\\x98\\x80', bytes: [0x98, 0x80], top_logprobs: [] },
      ]);
    expect(await masked({ body: said('\u{1F600}') })).toBe(JSON.stringify(said('\u{1F600}')));
    expect(await masked({ body: said(`\u{1F600} ${EMAIL}`) })).toBe(
      JSON.stringify(answer('\u{1F600} ***', [blank, blank])),
    );
  });
});

describe('an answer that is text', () => {
  it.each([
    ['plain text', 'text/plain', `no ${EMAIL} at ${ADDRESS}\n`, 'no *** at ***\n'],
    ['HTML', 'text/html', `<a href="mailto:${EMAIL}">x</a>`, '<a href="mailto:***">x</a>'],
    ['no type at all', undefined, `no ${EMAIL}`, 'no ***'],
    ['JSON broken off', 'application/json', `{"a":"no ${EMAIL}`, '{"a":"no ***'],
    ['a member twice', 'application/json', `{"a":"${SSN}","a":"${EMAIL}"}`, '{"a":"***","a":"***"}'],
    [
      'escapes in strings',
      'application/json',
      `{"a":1,"a":"${EMAIL.replace('@', '\\u0040')} ok"}`,
      '{"a":1,"a":"*** ok"}',
    ],
    [
      'JSON in a string, its escapes escaped',
      'application/json',
      `{"a":1,"a":"{\\"to\\":\\"${EMAIL.replace('@', '\\\\u0040')}\\"}"}`,
      '{"a":1,"a":"{\\"to\\":\\"***\\"}"}',
    ],
    ['numbers of JSON', 'application/json', `{"a":1,"a":[-1, ${CARD} ]}`, '{"a":1,"a":[-1, "***" ]}'],
    [
      'numbers in its strings',
      'application/json',
      `{"a":1,"a":"no ${CARD}, ok"}`,
      '{"a":1,"a":"no ***, ok"}',
    ],
    [
      'lists of tokens',
      'application/json',
      `{"a":1,"a":1,"c":"${EMAIL}","logprobs":{"content":[{"token":"ann"},{"token":"}"}]},"z":2}`,
      '{"a":1,"a":1,"c":"***","logprobs":null,"z":2}',
    ],
    ['a byte order mark', 'application/json', `\uFEFF{"a":"${EMAIL}"}`, '\uFEFF{"a":"***"}'],
  ])('is masked: %s', async (_what, contentType, body, expected) => {
    expect(await masked({ body, contentType })).toBe(expected);
  });

  it('leaves the tokens of an answer without findings', async () => {
    const body = '{"a":1,"a":2,"logprobs":{"content":[{"token":"x"}]}}';
    expect(await masked({ body })).toBe(body);
  });

  it('is read byte by byte where it is not UTF-8, and all other bytes stay', async () => {
    const bytes = (middle: string): Buffer =>
      Buffer.concat([
        Buffer.from([0xff, 0xc3, 0x28, 0x20]),
        Buffer.from(middle),
        Buffer.from([0x20, 0xe9, 0x80]),
      ]);
    for (const contentType of ['application/json', 'text/plain; charset=iso-8859-1']) {
      const judged = await judgeAnswer(dlp(), answered({ body: bytes(EMAIL), contentType }));
      expect(judged.bytes).toEqual(bytes('***'));
    }
  });

  it.each([
    ['UTF-16 with its mark', Buffer.from(`\uFEFF{"a":"${EMAIL}"}`, 'utf16le'), 'application/json'],
    ['UTF-16 without it', Buffer.from(`{"a":"${EMAIL}"}`, 'utf16le'), 'application/json'],
    ['UTF-16 that calls itself a sound', Buffer.from(`{"a":"${EMAIL}"}`.repeat(9), 'utf16le'), 'audio/wav'],
    ['UTF-16 without one letter of ASCII', Buffer.from('\uFEFF邮箱电话', 'utf16le'), 'text/plain'],
    ['a NUL', Buffer.from(`{"a":"\0${EMAIL}"}`), 'text/plain'],
    ['UTF-7', Buffer.from('{"a":"ann+AEA-x.org"}'), 'application/json; charset=utf-7'],
    ['another charset, quoted', Buffer.from('x'), 'text/plain; Charset="EBCDIC-US"'],
  ])('is refused: %s', async (_what, body, contentType) => {
    const { verdict } = await judgeAnswer(dlp(), answered({ body, contentType }));
    expect(verdict).toEqual({
      kind: 'deny',
      type: 'upstream_unavailable',
      message: expect.stringContaining('cannot be inspected') as string,
    });
  });

  it.each([...READABLE_PARAMETERS, '; charset="us-ascii"'])('is read: text/plain%s', async (parameters) => {
    const { body } = await judgeAnswer(
      dlp(),
      answered({ body: `to ${EMAIL}`, contentType: `text/plain${parameters}` }),
    );
    expect(body).toBe('to ***');
  });

  it.each(UNREADABLE_PARAMETERS)('is refused: text/plain%s', async (parameters) => {
    const answer = answered({ body: 'x', contentType: `text/plain${parameters}` });
    expect((await judgeAnswer(dlp(), answer)).verdict).toMatchObject({ type: 'upstream_unavailable' });
  });
});

describe('an answer of bytes', () => {
  const random = seededRandom(11);
  const noise = (length: number): Buffer =>
    Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));

  it('is masked in the words in it, in place', async () => {
    const around = (words: string): Buffer =>
      Buffer.concat([
        Buffer.from('ID3\0\0'),
        noise(500),
        Buffer.from([0]),
        Buffer.from(words),
        Buffer.from([0]),
        noise(500),
      ]);
    const seed = around('');
    const body = Buffer.from(seed);
    const words = Buffer.from(`Written by ${EMAIL} for a friend`);
    const at = 506;
    const withWords = Buffer.concat([body.subarray(0, at), words, body.subarray(at)]);
    const judged = await judgeAnswer(dlp(), answered({ body: withWords, contentType: 'audio/mpeg' }));
    const expected = Buffer.from(withWords);
    expected.fill('*', at + 'Written by '.length, at + 'Written by '.length + EMAIL.length);
    expect(judged.bytes).toEqual(expected);
  });

  it('withholds a secret in it', async () => {
    const body = Buffer.concat([noise(300), Buffer.from(`\0key=${AWS_KEY}\0`), noise(300)]);
    const { verdict } = await judgeAnswer(dlp(), answered({ body, contentType: 'image/png' }));
    expect(verdict).toMatchObject({ kind: 'deny', type: 'dlp_quarantine' });
  });

  it('is text all the same where it is text', async () => {
    const { body } = await judgeAnswer(
      dlp(),
      answered({ body: `邮箱 ${EMAIL} 电话`, contentType: 'video/mp4' }),
    );
    expect(body).toBe('邮箱 *** 电话');
  });
});

describe('hostile answers', () => {
  const MIB = 1_048_576;

  /** How often others had a turn meanwhile. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    let turns = 0;
    let immediate = setImmediate(function count() {
      turns += 1;
      immediate = setImmediate(count);
    });
    await work();
    clearImmediate(immediate);
    return turns;
  }

  it.each([
    ['findings throughout', `${EMAIL} `.repeat((2 * MIB) / 24)],
    ['quotes and backslashes', '"\\'.repeat(MIB)],
    ['escapes', '\\u0040a'.repeat(MIB / 4)],
    ['open lists of tokens', '"logprobs":['.repeat(MIB / 8)],
    ['digits', '4'.repeat(2 * MIB)],
  ])('of 2 MiB of text, %s, are searched in turns', { timeout: 60_000 }, async (_what, text) => {
    const body = `{"a":1,"a":"${EMAIL}","b":"${text}`;
    const judged: (string | undefined)[] = [];
    const turns = await turnsDuring(async () => {
      judged.push((await judgeAnswer(dlp({ action: 'mask' }), answered({ body }))).body);
    });
    expect(judged[0]?.slice(0, 18)).toBe('{"a":1,"a":"***","');
    expect(turns).toBeGreaterThan(20);
  });
});

describe('texts that look like others with their names', () => {
  it('are masked where the finding is', async () => {
    const name = 'a_name_of_twenty_signs';
    const written = `${name}": "${CARD}`;
    const content = [
      { type: 'tool_use', id: 't', name: 'f', input: { [name]: CARD } },
      { type: 'text', text: written },
    ];
    const input: AnswerInput = { body: { content }, provider: 'anthropic', path: '/v1/messages' };
    expect(await masked(input)).toBe(JSON.stringify({ content }).replaceAll(CARD, '***'));
  });
});
