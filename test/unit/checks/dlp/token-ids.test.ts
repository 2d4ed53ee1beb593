import { describe, expect, it } from 'vitest';
import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../../src/answers/new-answer.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import type { StreamFormat } from '../../../../src/streams/frame.ts';
import { ndjson } from '../../../../src/streams/ndjson.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { contentDetector, MASK_ALL, rewriterOf } from '../../../support/dlp-rewriter.ts';
import { streamReaderOf } from '../../../support/stream-reader.ts';
import { randomPieces } from './cuts.ts';
import { answered, dlp, EMAIL, judgeAnswer, type AnswerInput } from './rig.ts';

const IDS = [8123, 404, 77];
const TEXT = `to ${EMAIL}, bye`;
const CHAT = '/v1/chat/completions';
const message = { role: 'assistant', content: TEXT };

/** Answers that repeat their text in numbers, and the expected members after masking. */
const WHOLE: readonly [string, AnswerInput & { readonly body: object }, unknown][] = [
  [
    'Ollama generate',
    { provider: 'ollama', path: '/api/generate', body: { response: TEXT, done: true, context: IDS } },
    { context: [] },
  ],
  [
    'vLLM chat',
    {
      provider: 'vllm',
      path: CHAT,
      body: {
        prompt_token_ids: IDS,
        choices: [{ message, token_ids: IDS }],
        prompt_logprobs: [null, { 5: {} }],
      },
    },
    { prompt_token_ids: [], choices: [{ token_ids: [] }], prompt_logprobs: null },
  ],
  [
    'vLLM completions',
    {
      provider: 'vllm',
      path: '/v1/completions',
      body: { choices: [{ text: TEXT, token_ids: IDS, prompt_token_ids: [IDS, IDS] }] },
    },
    { choices: [{ token_ids: [], prompt_token_ids: [] }] },
  ],
  [
    'Fireworks chat',
    {
      provider: 'fireworks',
      path: CHAT,
      body: {
        choices: [
          {
            message,
            raw_output: { completion: TEXT, prompt_fragments: ['<s>', 5], completion_token_ids: IDS },
          },
        ],
      },
    },
    { choices: [{ raw_output: null }] },
  ],
  [
    'probabilities with ids',
    {
      provider: 'fireworks',
      path: CHAT,
      body: {
        choices: [{ message, logprobs: { content: [{ token: 'ok', bytes: [111, 107], token_id: 9 }] } }],
      },
    },
    { choices: [{ logprobs: { content: [{ token_id: 0 }] } }] },
  ],
  [
    'tokens with their ids, as llama.cpp lists them',
    {
      provider: 'vllm',
      path: CHAT,
      body: {
        choices: [{ message, logprobs: { content: [{ id: 7, token: TEXT, bytes: null, logprob: -1 }] } }],
      },
    },
    { choices: [{ logprobs: { content: [{ id: 0 }] } }] },
  ],
  [
    'bytes in an unknown member',
    { provider: 'vllm', path: CHAT, body: { choices: [{ message }], spelled: [{ bytes: [97, 98] }] } },
    { spelled: [{ bytes: [] }] },
  ],
  [
    'ids in plain text',
    {
      provider: 'vllm',
      path: CHAT,
      body: { choices: [{ message, token_ids: ['token_id:5', 'token_id:6'] }] },
    },
    { choices: [{ token_ids: [] }] },
  ],
];

describe('token ids in a whole answer', () => {
  it.each(WHOLE)('are emptied if anything was masked: %s', async (_name, input, left) => {
    const { body } = await judgeAnswer(dlp(), answered(input));
    expect(body).toContain('***');
    expect(JSON.parse(body ?? '')).toMatchObject(left as object);
  });

  it.each(WHOLE)('stay unchanged if nothing was masked: %s', async (_name, input) => {
    const clean = JSON.stringify(input.body).replaceAll(EMAIL, 'nobody');
    const { body } = await judgeAnswer(dlp(), answered({ ...input, body: clean }));
    expect(body).toBe(clean);
  });

  it('are emptied in JSON that is broken off', async () => {
    const body = `{"token_ids": [1, 2], "context":[[3]], "text":"${EMAIL} ", "n":[4], "more": "cut`;
    expect((await judgeAnswer(dlp(), answered({ body }))).body).toBe(
      '{"token_ids": [], "context":[], "text":"*** ", "n":[4], "more": "cut',
    );
  });

  it('are searched if only their name says that they are token ids', async () => {
    const body = { token_ids: [4539148803436467], choices: [] };
    expect((await judgeAnswer(dlp(), answered({ body }))).body).toBe('{"token_ids":[],"choices":[]}');
  });
});

async function send(
  provider: ProviderName,
  path: string,
  format: StreamFormat,
  payloads: readonly unknown[],
): Promise<{ readonly out: unknown[]; readonly bytes: string; readonly sentAfter: number[] }> {
  const stream = createAnswerStream({
    answer: newAnswer(),
    format,
    reader: streamReaderOf(provider, path),
    rewriters: [rewriterOf(contentDetector({ scanNetwork: false }), { actionOf: MASK_ALL })],
    stripComments: true,
  });
  let bytes = '';
  const sentAfter: number[] = [];
  for (const payload of payloads) {
    const data = typeof payload === 'string' ? payload : JSON.stringify(payload);
    bytes += (
      await stream.push(Buffer.from(format === sse ? `data: ${data}\n\n` : `${data}\n`))
    ).bytes.toString();
    sentAfter.push(linesOf(bytes).length);
  }
  bytes += (await stream.end()).bytes.toString();
  const out = linesOf(bytes).flatMap((line) => (line === '[DONE]' ? [] : [JSON.parse(line) as unknown]));
  return { out, bytes, sentAfter };
}

function linesOf(bytes: string): string[] {
  return bytes.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(/^data: /, '')]));
}

const LONG = 'Some words before it, as many as it takes to say a thing or two about nothing in particular: ';

/** A vLLM stream whose ids run ahead of its text by some events. */
function idsAhead(text: string, seed: number, ahead: number): unknown[] {
  const pieces = randomPieces(text, seed, 6);
  return [
    ...Array.from({ length: pieces.length + ahead }, (_, n) => ({
      choices: [
        {
          index: 0,
          delta: { content: pieces[n - ahead] ?? '' },
          token_ids: n < pieces.length ? [n + 1_000] : [],
        },
      ],
    })),
    '[DONE]',
  ];
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: { readonly content?: string };
    readonly token_ids?: number[];
  }[];
}

describe('token ids in a stream', () => {
  it.each([0, 1, 4])('of masked text are never sent, %i events ahead of their text', async (ahead) => {
    for (let seed = 0; seed < 20; seed += 1) {
      const text = `${LONG}${TEXT}, and on it goes for a good while after that, so that the rest has left.`;
      const pieces = randomPieces(text, seed, 6);
      const { out } = await send('vllm', CHAT, sse, idsAhead(text, seed, ahead));
      const chunks = out as Chunk[];
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(
        text.replace(EMAIL, '***'),
      );
      const sent = new Set(chunks.flatMap(({ choices }) => choices[0]?.token_ids ?? []));
      let at = 0;
      for (const [n, piece] of pieces.entries()) {
        at += piece.length;
        if (at > text.indexOf(EMAIL)) expect(sent.has(n + 1_000)).toBe(false);
      }
    }
  });

  it('of a clean stream pass byte for byte, some text later', async () => {
    const payloads = idsAhead(`${LONG}${LONG}`, 3, 0);
    const { bytes, sentAfter } = await send('vllm', CHAT, sse, payloads);
    const given = payloads.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`);
    expect(bytes).toBe(given.join(''));
    expect(sentAfter.every((sent, n) => n + 1 - sent <= 40)).toBe(true);
    expect(sentAfter.at(-1)).toBe(payloads.length);
  });

  it('are in the last event of an answer that was masked: Ollama', async () => {
    const events = (text: string): unknown[] => [
      ...randomPieces(text, 1).map((response) => ({ response, done: false })),
      { response: '', done: true, context: IDS },
    ];
    const masked = await send('ollama', '/api/generate', ndjson, events(TEXT));
    expect(masked.out.at(-1)).toMatchObject({ done: true, context: [] });
    expect(masked.bytes).toContain('***');
    const clean = await send('ollama', '/api/generate', ndjson, events('to nobody, bye'));
    expect(clean.out.at(-1)).toMatchObject({ done: true, context: IDS });
  });

  it('of the other choice are emptied too, and so is a repeat of the whole text', async () => {
    const { out } = await send('fireworks', CHAT, sse, [
      { choices: [{ index: 0, delta: { content: `${TEXT}. ` } }] },
      {
        choices: [
          { index: 1, delta: { content: 'ok ' }, token_ids: IDS, raw_output: { completion_token_ids: IDS } },
        ],
      },
      '[DONE]',
    ]);
    expect(out.at(-1)).toMatchObject({ choices: [{ token_ids: [], raw_output: null }] });
  });
});
