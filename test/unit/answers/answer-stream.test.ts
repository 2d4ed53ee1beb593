import { describe, expect, it } from 'vitest';
import { createAnswerStream } from '../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../src/answers/new-answer.ts';
import { PASS_EVENT, type Denial, type StreamRewriter } from '../../../src/pipeline/check.ts';
import { openai } from '../../../src/providers/openai.ts';
import { sse } from '../../../src/streams/sse.ts';
import { nextTurn } from '../../../src/turns.ts';
import { chunk, DENIAL, STREAM, CUT_FRAME, through, changing, textOf, upper, cutting } from './stream-rig.ts';

describe('a streamed answer', () => {
  it('is sent byte for byte and billed, at any cut', async () => {
    const bytes = Buffer.from(STREAM);
    for (let at = 0; at <= bytes.length; at++) {
      const { out, answer } = await through([], [bytes.subarray(0, at), bytes.subarray(at)]);
      expect(out).toBe(STREAM);
      expect(answer.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
      expect(answer.written.text).toBe('Hello');
      expect(answer.complete).toBe(true);
    }
  });

  it('is refused if a frame is nested so deeply that parsing it would block the process', async () => {
    const deep = Buffer.from(`data: ${'['.repeat(100_000)}\n\n`);
    expect((await through([], [deep])).cut).toMatchObject({ type: 'upstream_unavailable' });
    const wide = Buffer.from(`data: {"choices":[],"x":[${'[],'.repeat(50_000)}1]}\n\n`);
    expect((await through([], [wide])).out).toBe(wide.toString());
  });

  it('has no comments if they are stripped or the stream is cut', async () => {
    const telling: StreamRewriter = { event: () => PASS_EVENT, comment: () => 'cost=1' };
    const denial: Denial = { ...DENIAL, headers: { 'x-gateway-dlp-block': 'true' } };
    for (const [rewriters, out] of [
      [[telling], STREAM],
      [
        [cutting((event) => textOf(event) === 'lo', denial), telling],
        `: hello\n\n${chunk('Hel')}${CUT_FRAME}`,
      ],
    ] as const) {
      expect((await through([...rewriters], [Buffer.from(STREAM)], true)).out).toBe(out);
    }
  });

  it('is not complete without its end marker', async () => {
    const { answer } = await through([], [Buffer.from(chunk('Hel'))]);
    expect(answer.complete).toBe(false);
  });

  it('is no longer complete if another candidate begins after the first has ended', async () => {
    const { answer } = await through([], [Buffer.from(STREAM + chunk('More'))]);
    expect(answer.complete).toBe(false);
  });

  it('is sent at once if no rewriter waits, and in order if one does', async () => {
    const reader = openai.endpoint('POST', '/v1/chat/completions')?.dialect.stream();
    if (reader === undefined) throw new Error('chat does not stream');
    const parts = { answer: newAnswer(), format: sse, reader };
    const quick = createAnswerStream({ ...parts, rewriters: [upper()] });
    // Earlier tests may have used up this turn of the event loop.
    await nextTurn();
    expect(quick.push(Buffer.from(chunk('a')))).not.toBeInstanceOf(Promise);
    let turn = 0;
    const slow: StreamRewriter = {
      event: () => {
        const wait = (turn += 1) % 2 === 0 ? Promise.resolve() : undefined;
        return wait === undefined ? PASS_EVENT : wait.then(() => PASS_EVENT);
      },
    };
    const waiting = createAnswerStream({ ...parts, rewriters: [slow, changing((text) => `${text}!`)] }).push(
      Buffer.from(chunk('a') + chunk('b') + chunk('c')),
    );
    expect(waiting).toBeInstanceOf(Promise);
    expect((await waiting).bytes.toString()).toBe(chunk('a!') + chunk('b!') + chunk('c!'));
  });
});
