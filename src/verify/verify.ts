import type { TraceFinding } from './finding.ts';
import type { FinalResults, TraceJudge } from './judge.ts';
import { createReadAhead, type ReadAhead } from './read-ahead.ts';
import { readTrace } from './read/read-trace.ts';
import type { ReplayCounts } from './replay.ts';
import { isCall, type ReadElement, type TracedStep } from './step.ts';
import { createSummary, type JudgedBy, type Summary, type Unreadable } from './summary.ts';

/** Events in trace order. The last one is the summary. */
export type VerifyEvent =
  | { readonly kind: 'finding'; readonly finding: TraceFinding }
  | { readonly kind: 'unreadable'; readonly unreadable: Unreadable }
  /** Number of elements done so far. */
  | { readonly kind: 'progress'; readonly elements: number }
  | { readonly kind: 'summary'; readonly summary: Summary };

export interface VerifyDeps {
  /** Judges, each of which judges a part of the sessions. */
  readonly judges: readonly TraceJudge[];
  /** Returns the judge of a step. Steps that influence each other must share a judge. */
  readonly judgeOf: (step: TracedStep) => TraceJudge;
  readonly checks: readonly string[];
  readonly policies: JudgedBy | undefined;
}

type Bytes = AsyncIterable<Uint8Array>;

/** An element and the pending findings of its steps. */
interface QueuedElement {
  readonly element: ReadElement;
  readonly findings: readonly Promise<readonly TraceFinding[]>[];
}

const PROGRESS_EVERY = 256;
/** Large enough that judges need not wait for each other. */
const AHEAD = { maxItems: 6_000, maxBytes: 8_388_608 };

/**
 * Judges a trace while reading it. Memory is bounded by the state of the sessions and the queues of the judges.
 * @param name shown in the report
 */
export async function* verify(
  bytes: Bytes,
  name: string,
  { judges, judgeOf, checks, policies }: VerifyDeps,
): AsyncGenerator<VerifyEvent> {
  const { summary, ...counts } = createSummary({ trace: name, checks, policies });
  const ahead = createReadAhead<QueuedElement>(AHEAD);
  try {
    const ending = readInto(ahead, bytes, { judges, judgeOf });
    ending.catch(ignore);
    for (;;) {
      const next = ahead.take();
      if (next === undefined) {
        if (await ahead.more()) continue;
        break;
      }
      const { element, findings } = next;
      counts.element(element);
      if (element.kind === 'unreadable') {
        const { index, line, problem } = element;
        yield { kind: 'unreadable', unreadable: { index, line, problem } };
      }
      for (const judged of findings) for (const finding of await judged) yield findingEvent(finding);
      if (summary.elements % PROGRESS_EVERY === 0) yield { kind: 'progress', elements: summary.elements };
    }
    const ends = await ending;
    for (const { findings } of ends) for (const finding of findings) yield findingEvent(finding);
    const { calls, responses, afterDenial } = sumOf(ends.map(({ counts }) => counts));
    yield {
      kind: 'summary',
      summary: Object.assign(summary, { calls, responses, responsesToDenied: afterDenial }),
    };
  } finally {
    ahead.close();
  }

  function findingEvent(finding: TraceFinding): VerifyEvent {
    counts.finding(finding);
    return { kind: 'finding', finding };
  }
}

/** Reads a trace and passes its steps to the judges. Resolves to their final results. */
async function readInto(
  ahead: ReadAhead<QueuedElement>,
  bytes: Bytes,
  { judges, judgeOf }: Pick<VerifyDeps, 'judges' | 'judgeOf'>,
): Promise<readonly FinalResults[]> {
  const clock = createTraceClock();
  let read = 0;
  let put = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      read += chunk.length;
      yield chunk;
    }
  }

  function judged(step: TracedStep, { index, line }: ReadElement): Promise<readonly TraceFinding[]> {
    if (isCall(step)) clock.advance(step.at);
    const findings = judgeOf(step).step({ step, place: { index, line }, nowMs: clock.now() });
    // The error is thrown when the element is consumed.
    findings.catch(ignore);
    return findings;
  }

  try {
    for await (const elements of readTrace(counted())) {
      for (const element of elements) {
        if (ahead.isClosed) return [];
        const steps = element.kind === 'steps' ? element.steps : [];
        const findings = steps.map((step) => judged(step, element));
        const bare = element.kind === 'steps' ? { ...element, steps: [] } : element;
        const room = ahead.put({ element: bare, findings }, read - put);
        put = read;
        if (room !== undefined) await room;
      }
    }
    ahead.end();
  } catch (cause) {
    ahead.end({ cause });
  }
  if (ahead.isClosed) return [];
  // Ends all judges concurrently: a judge may hold back steps until it knows their number.
  return Promise.all(judges.map((judge) => judge.end()));
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
  /** Moves the clock to the next call. Calls without a time are one second apart. */
  advance(at: number | undefined): void;
}

/** Start time of a trace without times. */
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
