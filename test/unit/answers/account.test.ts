import { deflateSync, brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeContent } from '../../../src/answers/decode-content.ts';
import { newAnswer } from '../../../src/answers/new-answer.ts';
import { PASS_EVENT, type StreamRewriter } from '../../../src/pipeline/check.ts';
import { answering } from '../extproc/answer-phases/rig.ts';
import { chunk, cutting, DONE, STREAM, through } from './stream-rig.ts';

describe('the bill in an answer', () => {
  it('is read from a whole answer', async () => {
    const answer = answering();
    await answer.headers({ 'content-type': 'application/json' });
    await answer.body('{"model":"gpt-5-pro","service_tier":"priority","choices":[]}');
    expect(answer.seen[0]?.answer.billing.bill).toMatchObject({ models: ['gpt-5-pro'], tiers: ['priority'] });
  });

  it('is read from a stream, event by event', async () => {
    const stream = `${chunk('a', ',"model":"gpt-5-pro"')}${chunk('b', ',"service_tier":"flex"')}${DONE}`;
    const { answer } = await through([], [Buffer.from(stream)]);
    expect(answer.billing.bill).toMatchObject({ models: ['gpt-5-pro'], tiers: ['flex'] });
  });

  it('is not read from an error', async () => {
    const answer = answering({ status: 500 });
    await answer.headers({ 'content-type': 'application/json' });
    await answer.body('{"service_tier":"priority","error":{"message":"no"}}');
    expect(answer.seen[0]?.answer.billing.bill).toMatchObject({ models: [], tiers: [] });
  });
});

describe('written text', () => {
  const MAX_KEPT_CHARS = 262_144;

  it('is counted once if a chunk has it in two members', async () => {
    function twice(text: string): string {
      const said = JSON.stringify({ content: text });
      return `data: {"choices":[{"index":0,"delta":${said},"message":${said}}]}\n\n`;
    }
    const { answer } = await through([], [Buffer.from(`${twice('Hel')}${twice('lo')}${DONE}`)]);
    expect(answer.written.text).toBe('Hello');
  });

  it.each([
    ['one text of the maximum length', ['a'.repeat(MAX_KEPT_CHARS)], MAX_KEPT_CHARS, 0],
    ['one text over the maximum, in bytes', ['ü'.repeat(MAX_KEPT_CHARS + 1)], 0, 2 * (MAX_KEPT_CHARS + 1)],
    ['text after the maximum', ['a'.repeat(MAX_KEPT_CHARS), 'ü', 'bc'], MAX_KEPT_CHARS, 4],
  ])('is kept up to a bound and measured beyond it: %s', (_, texts, chars, beyondBytes) => {
    const { written } = newAnswer();
    for (const text of texts) written.add('text', text);
    expect([written.text.length, written.beyondBytes]).toEqual([chars, beyondBytes]);
  });
});

describe('a compressed answer', () => {
  const MAX_DECODED_BYTES = 16_777_216;

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('of %s is decoded up to Envoy’s buffer limit', async (coding, compress) => {
    const atMost = await decodeContent(compress(Buffer.alloc(MAX_DECODED_BYTES)), coding);
    expect(atMost).toHaveLength(MAX_DECODED_BYTES);
    await expect(decodeContent(compress(Buffer.alloc(MAX_DECODED_BYTES + 1)), coding)).rejects.toMatchObject({
      type: 'upstream_unavailable',
    });
  });
});

it('an error after a cut is thrown, and the stream is not ended twice', async () => {
  const failure = new Error('a comment broke');
  let asked = 0;
  const breaking: StreamRewriter = {
    event: () => PASS_EVENT,
    comment: () => {
      asked += 1;
      if (asked === 1) throw failure;
      return 'a comment';
    },
  };
  await expect(through([cutting(() => true), breaking], [Buffer.from(STREAM)])).rejects.toBe(failure);
  expect(asked).toBe(1);
});
