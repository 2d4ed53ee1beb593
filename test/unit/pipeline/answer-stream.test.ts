import { describe, expect, it } from 'vitest';
import { createAnswerStream } from '../../../src/pipeline/answer-stream.ts';
import type { StreamRewriter } from '../../../src/pipeline/check.ts';
import { createWrittenText } from '../../../src/pipeline/written-text.ts';
import type { Answer } from '../../../src/pipeline/exchange.ts';
import { createAnyJsonReader } from '../../../src/providers/dialects/any-json.ts';
import { openai } from '../../../src/providers/openai.ts';
import { sse } from '../../../src/streams/sse.ts';

function chunk(content: string): string {
  return `data: {"id":"c","big":12345678901234567890,"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]}\n\n`;
}

const USAGE = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';
const STREAM = `: hello\n\n${chunk('Hel')}${chunk('lo')}${USAGE}data: [DONE]\n\n`;

async function through(
  rewriters: StreamRewriter[],
  pieces: Buffer[],
): Promise<{ out: string; answer: Answer }> {
  const answer: Answer = {
    whole: undefined,
    facts: undefined,
    usage: undefined,
    written: createWrittenText(),
    complete: false,
  };
  const stream = createAnswerStream({
    answer,
    format: sse,
    reader: openai.endpoint('POST', '/v1/chat/completions')?.dialect.stream() ?? createAnyJsonReader(),
    rewriters,
  });
  const out: Buffer[] = [];
  for (const piece of pieces) out.push((await stream.push(piece)).bytes);
  out.push((await stream.end()).bytes);
  return { out: Buffer.concat(out).toString(), answer };
}

describe('a streamed answer', () => {
  it('goes out byte for byte and is accounted, wherever it is cut', async () => {
    const bytes = Buffer.from(STREAM);
    for (let at = 0; at <= bytes.length; at++) {
      const { out, answer } = await through([], [bytes.subarray(0, at), bytes.subarray(at)]);
      expect(out).toBe(STREAM);
      expect(answer.usage).toMatchObject({ inputTokens: 3, outputTokens: 2 });
      expect(answer.written.text).toBe('Hello');
      expect(answer.complete).toBe(true);
    }
  });

  it('is refused where a frame nests so deep that parsing it would hold up everybody', async () => {
    const deep = Buffer.from(`data: ${'['.repeat(100_000)}\n\n`);
    await expect(through([], [deep])).rejects.toMatchObject({ type: 'upstream_unavailable' });
    const wide = Buffer.from(`data: {"choices":[],"x":[${'[],'.repeat(50_000)}1]}\n\n`);
    expect((await through([], [wide])).out).toBe(wide.toString());
  });

  it('is not complete without its end marker', async () => {
    const { answer } = await through([], [Buffer.from(chunk('Hel'))]);
    expect(answer.complete).toBe(false);
  });

  it('is no longer complete where another candidate begins after the first has ended', async () => {
    const { answer } = await through([], [Buffer.from(STREAM + chunk('More'))]);
    expect(answer.complete).toBe(false);
  });

  it('is rewritten by byte spans, one rewriter after the other, and dropped frames are gone', async () => {
    const upper: StreamRewriter = {
      event: ({ deltas }) => ({
        kind: 'rewrite',
        edits: deltas.map(({ path, text }) => ({ kind: 'set', path, value: text.toUpperCase() })),
      }),
    };
    const bang: StreamRewriter = {
      event: (event) =>
        event.usageOnly === true
          ? { kind: 'drop' }
          : {
              kind: 'rewrite',
              edits: event.deltas.map(({ path, text }) => ({ kind: 'set', path, value: `${text}!` })),
            },
      end: () => ({ comment: 'bye' }),
    };
    const { out } = await through([upper, bang], [Buffer.from(STREAM)]);
    expect(out).toBe(`: hello\n\n${chunk('HEL!')}${chunk('LO!')}data: [DONE]\n\n\n: bye\n\n`);
  });
});
