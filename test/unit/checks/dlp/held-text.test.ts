import { describe, expect, it } from 'vitest';
import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../../src/answers/new-answer.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { contentDetector, MASK_ALL, rewriterOf } from '../../../support/dlp-rewriter.ts';
import { streamReaderOf } from '../../../support/stream-reader.ts';

const detector = contentDetector();

/** Ends with the possible beginning of a card number. */
const OPEN_TEXT = `It is ${['4539', '1488'].join(' ')}`;

/** The payloads that result from these in an endpoint's stream. */
async function through(
  provider: ProviderName,
  path: string,
  payloads: readonly object[],
): Promise<unknown[]> {
  const stream = createAnswerStream({
    answer: newAnswer(),
    format: sse,
    reader: streamReaderOf(provider, path, 'alt=sse'),
    rewriters: [rewriterOf(detector, { actionOf: MASK_ALL })],
    stripComments: true,
  });
  const sent = [
    await stream.push(
      Buffer.from(payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join('')),
    ),
    await stream.end(),
  ];
  const text = Buffer.concat(sent.map(({ bytes }) => bytes)).toString();
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)) as unknown);
}

describe('blocks of text', () => {
  const MAIL = ['ann.lee', 'mail.example-shop.com'].join('@');
  const start = (index: number) => ({
    type: 'content_block_start',
    index,
    content_block: { type: 'text', text: '' },
  });
  const delta = (index: number, text: string) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'text_delta', text },
  });
  const stop = (index: number) => ({ type: 'content_block_stop', index });
  function texts(sent: readonly unknown[]): string[] {
    const joined = ['', ''];
    for (const event of sent as ReturnType<typeof delta>[]) {
      if (event.type === 'content_block_delta') joined[event.index] += event.delta.text;
    }
    return joined;
  }

  it('are one text if one follows the other', async () => {
    for (let at = 1; at < MAIL.length; at += 1) {
      const sent = await through('anthropic', '/v1/messages', [
        ...[start(0), delta(0, `Mail ${MAIL.slice(0, at)}`), stop(0)],
        ...[start(1), delta(1, MAIL.slice(at)), delta(1, ' today'), stop(1)],
      ]);
      // A text that may be an address by itself is masked with it.
      expect(texts(sent).join('')).toMatch(/^Mail (?!ann\.lee@mail\.example-shop\.com).*\*\*\* today$/);
    }
  });

  it('are one text if the first begins like a document', async () => {
    const sent = await through('anthropic', '/v1/messages', [
      ...[start(0), delta(0, `{"to": "${MAIL.slice(0, 5)}`), stop(0)],
      ...[start(1), delta(1, `${MAIL.slice(5)}"}`), stop(1)],
    ]);
    expect(texts(sent)).toEqual(['{"to": "ann.l', '***"}']);
  });

  it('are separate texts if they are simultaneous', async () => {
    const sent = await through('anthropic', '/v1/messages', [
      ...[start(0), start(1)],
      ...[delta(0, MAIL.slice(0, 5)), delta(1, 'Words'), delta(0, MAIL.slice(5)), delta(1, ' beside it')],
      ...[stop(0), stop(1)],
    ]);
    expect(texts(sent)).toEqual(['***', 'Words beside it']);
  });
});

describe('a text that is a JSON document', () => {
  const CARD_NUMBER = ['4539', '1488', '0343', '6467'].join('');
  const MAIL = ['ann.lee', 'mail.example-shop.com'].join('@').replace('@', '\\u0040');
  const DOCUMENT = `{"card": ${CARD_NUMBER}, "mail": "${MAIL}\\n", "note": "[${CARD_NUMBER}]"}`;
  const MASKED = '{"card": "***", "mail": "***\\n", "note": "[***]"}';

  it('stays valid JSON, in pieces and repeated as a whole', async () => {
    const delta = (text: string) => ({
      type: 'response.output_text.delta',
      output_index: 0,
      content_index: 0,
      delta: text,
    });
    const done = (text: string) => ({
      type: 'response.output_text.done',
      output_index: 0,
      content_index: 0,
      text,
    });
    for (let at = 1; at < DOCUMENT.length; at += 1) {
      const pieces = [delta(DOCUMENT.slice(0, at)), delta(DOCUMENT.slice(at))];
      const sent = await through('openai', '/v1/responses', [...pieces, done(DOCUMENT)]);
      const deltas = (sent.slice(0, -1) as ReturnType<typeof delta>[]).map((event) => event.delta);
      expect(deltas.join('')).toBe(MASKED);
      expect(sent.at(-1)).toEqual(done(MASKED));
    }
  });

  it('is read as prose if it only begins like JSON', async () => {
    const prose = `[1] Card ${CARD_NUMBER} "is" {it}`;
    const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
    const sent = await through('openai', '/v1/chat/completions', [chunk(prose)]);
    expect(sent).toEqual([chunk('[1] Card *** "is" {it}')]);
  });
});

describe('text held back to the end of its channel', () => {
  it('is sent as reasoning before its signature, which covers it', async () => {
    const delta = (said: object) => ({ type: 'content_block_delta', index: 0, delta: said });
    const thought = (thinking: string) => delta({ type: 'thinking_delta', thinking });
    const rest = [
      delta({ type: 'signature_delta', signature: 'c2lnbmVk' }),
      { type: 'content_block_stop', index: 0 },
    ];
    const sent = await through('anthropic', '/v1/messages', [thought(OPEN_TEXT), ...rest]);
    expect(sent).toEqual([thought('It is '), thought('4539 1488'), ...rest]);
  });

  it('does not repeat the role, which clients would append to the first one', async () => {
    const chunk = (delta: object, finish: string | null = null) => ({
      id: 'chatcmpl-1',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const sent = await through('openai', '/v1/chat/completions', [
      chunk({ role: 'assistant', content: OPEN_TEXT }),
      chunk({}, 'stop'),
    ]);
    expect(sent).toEqual([
      chunk({ role: 'assistant', content: 'It is ' }),
      chunk({ content: '4539 1488' }),
      chunk({}, 'stop'),
    ]);
  });

  it('names its place in the arguments of its call, and precedes the end of the call', async () => {
    const call = (functionCall: object, index = 0) => ({
      candidates: [{ content: { role: 'model', parts: [{ functionCall }] }, index }],
    });
    const piece = (stringValue: string) =>
      call({ partialArgs: [{ jsonPath: '$.note', stringValue, willContinue: true }], willContinue: true });
    const begin = call({ name: 'note', willContinue: true });
    const beside = call({ name: 'note', willContinue: true }, 1);
    const sent = await through('gemini', '/v1beta/models/gemini-x:streamGenerateContent', [
      begin,
      piece('Mail '),
      beside,
      piece(OPEN_TEXT),
      call({}),
    ]);
    expect(sent).toEqual([begin, piece('Mail '), beside, piece('It is '), piece('4539 1488'), call({})]);
  });
});

describe('a separate event for held text', () => {
  const MAIL = ['ann.lee', 'mail.example-shop.com'].join('@');
  const piece = (delta: object, beside: object = {}) => ({ ...beside, choices: [{ index: 0, delta }] });

  // A regression found by `npm run fuzz -- --surface streams --seed 1`.
  it.each<[name: string, beside: object, more: object]>([
    ['a member beside the text', { system_fingerprint: MAIL }, {}],
    ['a member that names the type', {}, { extra: { type: MAIL } }],
    ['a member name', { [MAIL]: 'x' }, {}],
    ['a name around the held text', {}, { extra: { [MAIL]: { type: 'x' } } }],
  ])('is masked like the event that it repeats: %s', async (_, beside, more) => {
    const sent = await through('openai', '/v1/chat/completions', [
      piece({ content: OPEN_TEXT, ...more }, beside),
      piece({ role: 'assistant' }, { a: 1 }),
    ]);
    expect(sent.length).toBeGreaterThan(2);
    expect(JSON.stringify(sent)).not.toContain(MAIL);
    const contents = sent.flatMap(
      (event) => (event as ReturnType<typeof piece>).choices[0]?.delta as { readonly content?: string },
    );
    expect(contents.map(({ content }) => content ?? '').join('')).toBe(OPEN_TEXT);
  });
});
