import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../../src/answers/new-answer.ts';
import type { StreamRewriter } from '../../../../src/pipeline/check.ts';
import type { ProviderName } from '../../../../src/providers/registry.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { contentDetector, MASK_ALL, rewriterOf } from '../../../support/dlp-rewriter.ts';
import { streamReaderOf } from '../../../support/stream-reader.ts';

const detector = contentDetector();

/** The payloads that result from each of these in an endpoint's stream, and from its end. */
export function stepsThrough(
  provider: ProviderName,
  path: string,
  payloads: readonly unknown[],
  rewriters = 1,
): Promise<unknown[][]> {
  const all = Array.from({ length: rewriters }, () => rewriterOf(detector, { actionOf: MASK_ALL }));
  return stepsThroughRewriters(all, provider, path, payloads);
}

/** The same with these rewriters. A cut ends the stream. */
export async function stepsThroughRewriters(
  rewriters: readonly StreamRewriter[],
  provider: ProviderName,
  path: string,
  payloads: readonly unknown[],
): Promise<unknown[][]> {
  const stream = createAnswerStream({
    answer: newAnswer(),
    format: sse,
    reader: streamReaderOf(provider, path, 'alt=sse'),
    rewriters,
    stripComments: true,
  });
  const steps: unknown[][] = [];
  for (const payload of payloads) {
    const { bytes, cut } = await stream.push(Buffer.from(`data: ${JSON.stringify(payload)}\n\n`));
    steps.push(payloadsIn(bytes));
    if (cut !== undefined) return steps;
  }
  const { bytes } = await stream.end();
  return [...steps, payloadsIn(bytes)];
}

function payloadsIn(bytes: Buffer): unknown[] {
  return bytes
    .toString()
    .split('\n\n')
    .flatMap((event) => event.split('\n').filter((line) => line.startsWith('data: {')))
    .map((line) => JSON.parse(line.slice('data: '.length)) as unknown);
}
