import { ReadableStream, type UnderlyingSource } from 'node:stream/web';
import type { TraceFinding } from './finding.ts';
import type { FinalResults, TraceJudge } from './judge.ts';
import { readTrace } from './read/read-trace.ts';
import type { ReplayCounts } from './replay.ts';
import { isCall, type ReadElement, type TracedStep } from './step.ts';
import { createSummary, type JudgedBy, type Summary, type Unreadable } from './summary.ts';

/** Events in trace order. The last one is the summary. */
export type VerifyEvent =
  | { readonly kind: 'finding'; readonly finding: TraceFinding }
  | { readonly kind: 'unreadable'; readonly unreadable: Unreadable }
  | { readonly kind: 'progress'; readonly elements: number }
  | { readonly kind: 'summary'; readonly summary: Summary };

export interface VerifyDeps {
  /** Each judges a part of the sessions. */
  readonly judges: readonly TraceJudge[];
  /** Steps that influence each other must share a judge. */
  readonly judgeOf: (step: TracedStep) => TraceJudge;
  readonly checks: readonly string[];
  readonly policies: JudgedBy | undefined;
}

type Bytes = AsyncIterable<Uint8Array>;

interface QueuedElement {
  readonly element: ReadElement;
  readonly findings: readonly Promise<readonly TraceFinding[]>[];
}

interface QueuedPart {
  readonly elements: readonly QueuedElement[];
  readonly bytes: number;
}

const PROGRESS_EVERY = 256;
/** Queue size, large enough that judges need not wait for each other. */
const AHEAD_BYTES = 8_388_608;
const AHEAD_ELEMENTS = 6_000;

/**
 * Judges a trace while reading it. Memory is bounded by the session state and the judges' queues.
 * @param name shown in the report
 */
export async function* verify(
  bytes: Bytes,
  name: string,
  { judges, judgeOf, checks, policies }: VerifyDeps,
): AsyncGenerator<VerifyEvent> {
  const { summary, ...counts } = createSummary({ trace: name, checks, policies });
  const { queue, ending } = readAhead(bytes, { judges, judgeOf });
  for await (const { elements } of queue) {
    for (const { element, findings } of elements) {
      counts.element(element);
      if (element.kind === 'unreadable') {
        const { index, line, problem } = element;
        yield { kind: 'unreadable', unreadable: { index, line, problem } };
      }
      for (const judged of findings) for (const finding of await judged) yield findingEvent(finding);
      if (summary.elements % PROGRESS_EVERY === 0) yield { kind: 'progress', elements: summary.elements };
    }
  }
  const ends = await ending;
  for (const { findings } of ends) for (const finding of findings) yield findingEvent(finding);
  const { calls, responses, afterDenial } = sumOf(ends.map(({ counts }) => counts));
  yield {
    kind: 'summary',
    summary: Object.assign(summary, { calls, responses, responsesToDenied: afterDenial }),
  };

  function findingEvent(finding: TraceFinding): VerifyEvent {
    counts.finding(finding);
    return { kind: 'finding', finding };
  }
}

interface ReadAhead {
  readonly queue: ReadableStream<QueuedPart>;
  /** The judges' final results. Rejects if the trace cannot be read or a judge fails. */
  readonly ending: Promise<readonly FinalResults[]>;
}

/** Reads ahead, up to the queue size, and passes the steps to the judges. */
function readAhead(bytes: Bytes, { judges, judgeOf }: Pick<VerifyDeps, 'judges' | 'judgeOf'>): ReadAhead {
  const clock = createTraceClock();
  let newBytes = 0;
  let isCancelled = false;
  const ending = Promise.withResolvers<readonly FinalResults[]>();
  ending.promise.catch(ignore);

  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      newBytes += chunk.length;
      yield chunk;
    }
  }

  function queued(element: ReadElement): QueuedElement {
    if (element.kind !== 'steps') return { element, findings: [] };
    const { steps, index, line } = element;
    const findings = steps.map((step) => {
      if (isCall(step)) clock.advance(step.at);
      const judged = judgeOf(step).step({ step, place: { index, line }, nowMs: clock.now() });
      judged.catch(ignore);
      return judged;
    });
    return { element: { ...element, steps: [] }, findings };
  }

  const trace = readTrace(counted());
  const source: UnderlyingSource<QueuedPart> = {
    async pull(controller) {
      try {
        const { done, value } = await trace.next();
        if (isCancelled) return;
        if (done !== true) {
          controller.enqueue({ elements: value.map(queued), bytes: newBytes });
          newBytes = 0;
          return;
        }
      } catch (cause) {
        ending.reject(cause);
      }
      // Ends all judges concurrently, because a judge may hold back steps until it knows their number.
      const ends = Promise.all(judges.map((judge) => judge.end()));
      ends.catch(ignore);
      ending.resolve(ends);
      controller.close();
    },
    cancel() {
      isCancelled = true;
      trace.return(undefined).catch(ignore);
    },
  };
  const size = (part: QueuedPart): number =>
    Math.max(part.bytes, part.elements.length * (AHEAD_BYTES / AHEAD_ELEMENTS));
  return {
    queue: new ReadableStream(source, { highWaterMark: AHEAD_BYTES, size }),
    ending: ending.promise,
  };
}

function ignore(): void {
  // The consumer of the promise gets the error.
}

function sumOf(counts: readonly ReplayCounts[]): ReplayCounts {
  const sum = { calls: 0, responses: 0, afterDenial: 0 };
  for (const { calls, responses, afterDenial } of counts) {
    sum.calls += calls;
    sum.responses += responses;
    sum.afterDenial += afterDenial;
  }
  return sum;
}

interface TraceClock {
  /** Unix ms. */
  now(): number;
  /** Moves the clock to the next call. Calls without a timestamp are one second apart. */
  advance(at: number | undefined): void;
}

/** Start time of a trace without timestamps. */
const BEGINNING_MS = 1e12;
const STEP_MS = 1_000;

/** The clock never moves backwards, because stored state expires. */
function createTraceClock(): TraceClock {
  let nowMs = BEGINNING_MS;
  return {
    now: () => nowMs,
    advance(at) {
      nowMs = at === undefined ? nowMs + STEP_MS : Math.max(nowMs, at);
    },
  };
}
