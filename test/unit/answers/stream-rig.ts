import { expect } from 'vitest';
import { createAnswerStream } from '../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../src/answers/new-answer.ts';
import {
  PASS_EVENT,
  type Denial,
  type RewrittenFrame,
  type StreamRewriter,
} from '../../../src/pipeline/check.ts';
import type { Answer } from '../../../src/pipeline/exchange.ts';
import { createAnyJsonReader } from '../../../src/providers/dialects/any-json.ts';
import { openai } from '../../../src/providers/openai.ts';
import type { StreamEvent } from '../../../src/providers/dialect.ts';
import { sse } from '../../../src/streams/sse.ts';

export function chunk(content: string, extra = ''): string {
  return `data: {"id":"c","big":12345678901234567890,"choices":[{"index":0,"delta":{"content":${JSON.stringify(content)}}}]${extra}}\n\n`;
}

export const USAGE = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n';
export const DONE = 'data: [DONE]\n\n';
export const STREAM = `: hello\n\n${chunk('Hel')}${chunk('lo')}${USAGE}${DONE}`;
export const DENIAL: Denial = { kind: 'deny', type: 'dlp_quarantine', message: 'no' };
export const CUT_FRAME = `data: ${JSON.stringify({
  error: { message: 'no', type: 'dlp_quarantine', param: null, code: '403' },
  type: 'dlp_quarantine',
})}\n\ndata: ${JSON.stringify({
  ...{ id: '', object: 'chat.completion.chunk', created: 0, model: '' },
  choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }],
  type: 'dlp_quarantine',
})}\n\n`;

export interface Seen {
  readonly out: string;
  readonly answer: Answer;
  readonly cut: Denial | undefined;
  readonly failure?: unknown;
}

export async function through(
  rewriters: StreamRewriter[],
  pieces: readonly Buffer[],
  stripComments = false,
): Promise<Seen> {
  const answer = newAnswer();
  const stream = createAnswerStream({
    answer,
    format: sse,
    reader: openai.endpoint('POST', '/v1/chat/completions')?.dialect.stream() ?? createAnyJsonReader(),
    rewriters,
    stripComments,
  });
  const out: Buffer[] = [];
  let failure: unknown;
  for (const piece of pieces) {
    const emission = await stream.push(piece);
    out.push(emission.bytes);
    failure ??= emission.failure;
  }
  const last = await stream.end();
  failure ??= last.failure;
  return {
    out: Buffer.concat([...out, last.bytes]).toString(),
    answer,
    cut: last.cut,
    ...(failure !== undefined && { failure }),
  };
}

/** Returns the output, which must be the same at any cut. */
export async function everyCut(createRewriters: () => StreamRewriter[], stream: string): Promise<Seen> {
  const bytes = Buffer.from(stream);
  const whole = await through(createRewriters(), [bytes]);
  for (let at = 0; at <= bytes.length; at += 1) {
    const { out, cut } = await through(createRewriters(), [bytes.subarray(0, at), bytes.subarray(at)]);
    expect({ at, out, cut }).toEqual({ at, out: whole.out, cut: whole.cut });
  }
  return whole;
}

export function changing(change: (text: string) => string): StreamRewriter {
  return {
    event: ({ deltas }) => ({
      kind: 'rewrite',
      edits: deltas.map(({ path, text }) => ({ kind: 'set', path, value: change(text) })),
    }),
  };
}

export const textOf = (event: StreamEvent): string => event.deltas.map(({ text }) => text).join('');
export const upper = (): StreamRewriter => changing((text) => text.toUpperCase());

/** Copies an event's frame with other text. */
export function copy(event: StreamEvent, value: string): RewrittenFrame {
  const edits = event.deltas.map(({ path }) => ({ kind: 'set', path, value }) as const);
  return { event, edits, copy: true };
}

export const cutting = (when: (event: StreamEvent) => boolean, denial: Denial = DENIAL): StreamRewriter => ({
  event: (event) => (when(event) ? { kind: 'cut', denial } : PASS_EVENT),
});
