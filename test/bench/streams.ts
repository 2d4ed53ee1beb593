import { STREAM_CHUNKS } from '../support/canned-provider.ts';
import { percentile, runLoad, runStream, type StreamResult } from '../support/load.ts';
import { meterCpu } from './machine.ts';
import { newPrompts } from './prompts.ts';
import type { Rig } from './rig.ts';
import { medians } from './statistics.ts';

/** Streams of 100 chunks, one every 5 ms; medians of the rounds. */
export interface StreamRow extends StreamSample {
  readonly name: string;
}

interface StreamSample {
  /** For sequential streams: from the request to its first token, and from the provider's write of a chunk to here. */
  readonly firstTokenMs: number;
  readonly chunkMs: number;
  readonly chunkP99Ms: number;
  /** For many simultaneous streams. */
  readonly streamsPerSecond: number;
  /** CPU of all the rig's processes, per stream among many. */
  readonly cpuMs: number;
}

const FIELDS = ['firstTokenMs', 'chunkMs', 'chunkP99Ms', 'streamsPerSecond', 'cpuMs'] as const;
const PROMPT_BYTES = 1_024;
const ALONE = 5;
const AT_ONCE = 32;
const LOADED = 96;

/** In interleaved rounds; throws if a stream is incomplete. */
export async function measureStreams(rigs: readonly Rig[], rounds: number): Promise<readonly StreamRow[]> {
  const sides = rigs.map((rig) => ({
    rig,
    next: newPrompts(rig, PROMPT_BYTES, { ...rig, stream: true }),
    samples: [] as StreamSample[],
  }));
  for (const { rig, next } of sides) {
    await runLoad(rig, { connections: 8, requests: 300, bytes: newPrompts(rig, PROMPT_BYTES, rig) });
    await manyAtOnce(rig, next);
  }
  for (let round = 1; round <= rounds; round++) {
    for (const { rig, next, samples } of sides) {
      process.stderr.write(`streams, round ${String(round)} of ${String(rounds)}: ${rig.name}\n`);
      samples.push(await sample(rig, next));
    }
  }
  return sides.map(({ rig, samples }) => ({ name: rig.name, ...medians(samples, FIELDS) }));
}

async function sample(rig: Rig, next: () => Buffer): Promise<StreamSample> {
  const alone: StreamResult[] = [];
  for (let n = 0; n < ALONE; n++) alone.push(await wholeStream(rig, next()));
  const first = alone.map(({ firstTokenMs }) => firstTokenMs).toSorted((a, b) => a - b);
  const chunks = alone.flatMap(({ chunkDelaysMs }) => chunkDelaysMs).toSorted((a, b) => a - b);
  const stop = meterCpu(rig);
  const seconds = await manyAtOnce(rig, next);
  const spent = stop();
  return {
    firstTokenMs: percentile(first, 0.5),
    chunkMs: percentile(chunks, 0.5),
    chunkP99Ms: percentile(chunks, 0.99),
    streamsPerSecond: LOADED / seconds,
    cpuMs: (spent() / LOADED) * 1_000,
  };
}

/** Resolves with their duration in seconds. */
async function manyAtOnce(rig: Rig, next: () => Buffer): Promise<number> {
  const begin = performance.now();
  async function each(): Promise<void> {
    for (let n = 0; n < LOADED / AT_ONCE; n++) await wholeStream(rig, next());
  }
  await Promise.all(Array.from({ length: AT_ONCE }, each));
  return (performance.now() - begin) / 1_000;
}

async function wholeStream(rig: Rig, bytes: Buffer): Promise<StreamResult> {
  const result = await runStream(rig, bytes);
  if (result.chunkDelaysMs.length === STREAM_CHUNKS) return result;
  throw new Error(
    `a stream of ${rig.name} brought ${String(result.chunkDelaysMs.length)} of ${String(STREAM_CHUNKS)} chunks`,
  );
}
