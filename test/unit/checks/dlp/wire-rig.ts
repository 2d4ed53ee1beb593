import { createAnswerStream } from '../../../../src/answers/answer-stream.ts';
import { newAnswer } from '../../../../src/answers/new-answer.ts';
import type { ProviderName } from '../../../../src/providers/provider.ts';
import { sse } from '../../../../src/streams/sse.ts';
import { contentDetector, MASK_ALL, rewriterOf } from '../../../support/dlp-rewriter.ts';
import { streamReaderOf } from '../../../support/stream-reader.ts';

const detector = contentDetector();

/** The payloads that come of each of these in an endpoint's stream, and of its end. */
export async function stepsThrough(
  provider: ProviderName,
  path: string,
  payloads: readonly unknown[],
  rewriters = 1,
): Promise<unknown[][]> {
  const stream = createAnswerStream({
    answer: newAnswer(),
    format: sse,
    reader: streamReaderOf(provider, path, 'alt=sse'),
    rewriters: Array.from({ length: rewriters }, () => rewriterOf(detector, { actionOf: MASK_ALL })),
    stripComments: true,
  });
  const steps: unknown[][] = [];
  for (const payload of payloads) {
    const { bytes } = await stream.push(Buffer.from(`data: ${JSON.stringify(payload)}\n\n`));
    steps.push(payloadsIn(bytes));
  }
  const { bytes } = await stream.end();
  return [...steps, payloadsIn(bytes)];
}

function payloadsIn(bytes: Buffer): unknown[] {
  return bytes
    .toString()
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)) as unknown);
}
