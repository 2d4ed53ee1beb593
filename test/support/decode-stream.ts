import type { Frame, StreamFormat } from '../../src/streams/frame.ts';

/** All frames of a stream that arrives in these chunks. */
export function decodeStream(format: StreamFormat, chunks: readonly Buffer[]): Frame[] {
  const decoder = format.createDecoder({ maxFrameBytes: 1 << 20 });
  const frames = chunks.flatMap((chunk) => decoder.push(chunk));
  return [...frames, ...decoder.end()];
}
