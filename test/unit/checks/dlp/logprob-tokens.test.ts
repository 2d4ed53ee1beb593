import { describe, expect, it } from 'vitest';
import { answered, AWS_KEY, dlp, EMAIL, judgeAnswer, maskedAnswer, type AnswerInput } from './rig.ts';

const chat = (message: object, more: object = {}): object => ({
  choices: [{ index: 0, message: { role: 'assistant', ...message }, ...more }],
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

  const blanked = pieces.map(() => '***');

  it('are all blanked once something of the answer is masked', async () => {
    expect(await maskedAnswer(answer(pieces.join(''), pieces))).toBe(
      JSON.stringify({ text: ' to ***! Bye', tokens: blanked }),
    );
  });

  it('stay in an answer without findings', async () => {
    expect(await maskedAnswer(answer('nothing', ['no', 'thing']))).toBe(
      JSON.stringify({ text: 'nothing', tokens: ['no', 'thing'] }),
    );
  });

  it('are blanked if they do not spell the text with the finding', async () => {
    expect(await maskedAnswer(answer(`to ${EMAIL}`, ['to', '?', EMAIL.slice(0, half)]))).toBe(
      JSON.stringify({ text: 'to ***', tokens: ['***', '***', '***'] }),
    );
  });

  it('are blanked if only they spell a finding', async () => {
    expect(await maskedAnswer(answer('nothing', pieces))).toBe(
      JSON.stringify({ text: 'nothing', tokens: blanked }),
    );
  });
});

describe('bytes beside tokens', () => {
  const bytes = (text: string): number[] => [...Buffer.from(text)];
  const half = EMAIL.length >> 1;
  const blank = { token: '***', bytes: null, top_logprobs: [] };
  const answer = (content: string, tokens: readonly object[]): object =>
    chat({ content }, { logprobs: { content: tokens } });

  it('are searched if their bytes spell something else, and blanked with them', async () => {
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
    expect(await maskedAnswer({ body })).toBe(
      JSON.stringify(answer('nothing.', [blank, blank, blank, blank])),
    );
  });

  it('are searched in the alternative tokens too', async () => {
    const alternative = { token: 'x', bytes: bytes(EMAIL) };
    const body = answer('no', [{ token: 'no', bytes: bytes('no'), top_logprobs: [alternative] }]);
    expect(await maskedAnswer({ body })).toBe(JSON.stringify(answer('no', [blank])));
  });

  it('withhold an answer for a secret', async () => {
    const body = answer(
      'no',
      [...AWS_KEY].map((letter) => ({ token: 'n', bytes: bytes(letter) })),
    );
    const { verdict } = await judgeAnswer(dlp(), answered({ body }));
    expect(verdict).toMatchObject({ kind: 'deny', type: 'dlp_quarantine' });
  });

  it('stay if they are part of a character, and are blanked with a text that has a finding', async () => {
    const said = (content: string): object =>
      answer(content, [
        { token: 'bytes:\\xf0\\x9f', bytes: [0xf0, 0x9f], top_logprobs: [] },
        { token: 'bytes:\\x98\\x80', bytes: [0x98, 0x80], top_logprobs: [] },
      ]);
    expect(await maskedAnswer({ body: said('\u{1F600}') })).toBe(JSON.stringify(said('\u{1F600}')));
    expect(await maskedAnswer({ body: said(`\u{1F600} ${EMAIL}`) })).toBe(
      JSON.stringify(answer('\u{1F600} ***', [blank, blank])),
    );
  });
});
