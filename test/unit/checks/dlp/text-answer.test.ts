import { describe, expect, it } from 'vitest';
import { READABLE_PARAMETERS, UNREADABLE_PARAMETERS } from '../../../support/charsets.ts';
import { ADDRESS, answered, CARD, dlp, EMAIL, judgeAnswer, SSN, maskedAnswer } from './rig.ts';

describe('an answer that is text', () => {
  it.each([
    ['plain text', 'text/plain', `no ${EMAIL} at ${ADDRESS}\n`, 'no *** at ***\n'],
    ['HTML', 'text/html', `<a href="mailto:${EMAIL}">x</a>`, '<a href="mailto:***">x</a>'],
    ['no type', undefined, `no ${EMAIL}`, 'no ***'],
    ['truncated JSON', 'application/json', `{"a":"no ${EMAIL}`, '{"a":"no ***'],
    ['a duplicate member', 'application/json', `{"a":"${SSN}","a":"${EMAIL}"}`, '{"a":"***","a":"***"}'],
    [
      'escapes in strings',
      'application/json',
      `{"a":1,"a":"${EMAIL.replace('@', '\\u0040')} ok"}`,
      '{"a":1,"a":"*** ok"}',
    ],
    [
      'JSON in a string with doubly escaped characters',
      'application/json',
      `{"a":1,"a":"{\\"to\\":\\"${EMAIL.replace('@', '\\\\u0040')}\\"}"}`,
      '{"a":1,"a":"{\\"to\\":\\"***\\"}"}',
    ],
    ['numbers as JSON values', 'application/json', `{"a":1,"a":[-1, ${CARD} ]}`, '{"a":1,"a":[-1, "***" ]}'],
    ['numbers in strings', 'application/json', `{"a":1,"a":"no ${CARD}, ok"}`, '{"a":1,"a":"no ***, ok"}'],
    [
      'lists of tokens',
      'application/json',
      `{"a":1,"a":1,"c":"${EMAIL}","logprobs":{"content":[{"token":"ann"},{"token":"}"}]},"z":2}`,
      '{"a":1,"a":1,"c":"***","logprobs":null,"z":2}',
    ],
    ['a byte order mark', 'application/json', `\uFEFF{"a":"${EMAIL}"}`, '\uFEFF{"a":"***"}'],
  ])('is masked: %s', async (_what, contentType, body, expected) => {
    expect(await maskedAnswer({ body, contentType })).toBe(expected);
  });

  it('leaves the tokens of an answer without findings', async () => {
    const body = '{"a":1,"a":2,"logprobs":{"content":[{"token":"x"}]}}';
    expect(await maskedAnswer({ body })).toBe(body);
  });

  it('is read byte by byte if it is not UTF-8, and all other bytes stay', async () => {
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
    ['UTF-16 with a byte order mark', Buffer.from(`\uFEFF{"a":"${EMAIL}"}`, 'utf16le'), 'application/json'],
    ['UTF-16 without a byte order mark', Buffer.from(`{"a":"${EMAIL}"}`, 'utf16le'), 'application/json'],
    ['UTF-16 with an audio type', Buffer.from(`{"a":"${EMAIL}"}`.repeat(9), 'utf16le'), 'audio/wav'],
    ['UTF-16 without ASCII letters', Buffer.from('\uFEFF邮箱电话', 'utf16le'), 'text/plain'],
    ['a NUL', Buffer.from(`{"a":"\0${EMAIL}"}`), 'text/plain'],
    ['UTF-7', Buffer.from('{"a":"ann+AEA-x.org"}'), 'application/json; charset=utf-7'],
    ['another charset, in quotes', Buffer.from('x'), 'text/plain; Charset="EBCDIC-US"'],
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

describe('hostile answers', () => {
  const MIB = 1_048_576;

  /** How often others had a turn meanwhile. */
  it.each([
    ['many findings', `${EMAIL} `.repeat((2 * MIB) / 24)],
    ['quotes and backslashes', '"\\'.repeat(MIB)],
    ['escapes', '\\u0040a'.repeat(MIB / 4)],
    ['unterminated lists of tokens', '"logprobs":['.repeat(MIB / 8)],
    ['digits', '4'.repeat(2 * MIB)],
  ])('of 2 MiB of text, %s, are searched whole', { timeout: 60_000 }, async (_what, text) => {
    const body = `{"a":1,"a":"${EMAIL}","b":"${text}`;
    const judged = await judgeAnswer(dlp({ action: 'mask' }), answered({ body }));
    expect(judged.body?.slice(0, 18)).toBe('{"a":1,"a":"***","');
  });
});
