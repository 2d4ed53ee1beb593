import type { TraceFinding } from './finding.ts';
import type { Ended, TraceJudge } from './judge.ts';
import { createReadAhead, type ReadAhead } from './read-ahead.ts';
import { readTrace } from './read/read-trace.ts';
import type { ReplayCounts } from './replay.ts';
import { isCall, type ReadElement, type TracedStep } from './step.ts';
import { createSummary, type JudgedBy, type Summary, type Unreadable } from './summary.ts';

/** What is told of a trace while it is judged, in its order; the last one is the summary. */
export type VerifyEvent =
  | { readonly kind: 'finding'; readonly finding: TraceFinding }
  | { readonly kind: 'unreadable'; readonly unreadable: Unreadable }
  /** So many elements are done. */
  | { readonly kind: 'progress'; readonly elements: number }
  | { readonly kind: 'summary'; readonly summary: Summary };

export interface VerifyDeps {
  /** Each of them has its own part of the trace's sessions. */
  readonly judges: readonly TraceJudge[];
  /** The judge of a step: one and the same for all that count for each other. */
  readonly judgeOf: (step: TracedStep) => TraceJudge;
  readonly checks: readonly string[];
  readonly policies: JudgedBy | undefined;
}

type Bytes = AsyncIterable<Uint8Array>;

/** An element that was read, without its steps: those are with their judges. */
interface Told {
  readonly element: ReadElement;
  readonly findings: readonly Promise<readonly TraceFinding[]>[];
}

const PROGRESS_EVERY = 256;
/** Far enough that no judge waits for another one whose sessions have more to do. */
const AHEAD = { maxItems: 6_000, maxBytes: 8_388_608 };

/**
 * Judges a trace as it is read: nothing of it is held but what its sessions are known by, and what the judges have before
 * them.
 * @param name what the trace is called in a report
 */
export async function* verify(
  bytes: Bytes,
  name: string,
  { judges, judgeOf, checks, policies }: VerifyDeps,
): AsyncGenerator<VerifyEvent> {
  const { summary, ...told } = createSummary({ trace: name, checks, policies });
  const ahead = createReadAhead<Told>(AHEAD);
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
      told.element(element);
      if (element.kind === 'unreadable') {
        const { index, line, problem } = element;
        yield { kind: 'unreadable', unreadable: { index, line, problem } };
      }
      for (const judged of findings) for (const finding of await judged) yield tell(finding);
      if (summary.elements % PROGRESS_EVERY === 0) yield { kind: 'progress', elements: summary.elements };
    }
    const ends = await ending;
    for (const { findings } of ends) for (const finding of findings) yield tell(finding);
    const { calls, responses, afterDenial } = sumOf(ends.map(({ counts }) => counts));
    yield {
      kind: 'summary',
      summary: Object.assign(summary, { calls, responses, responsesToDenied: afterDenial }),
    };
  } finally {
    ahead.close();
  }

  function tell(finding: TraceFinding): VerifyEvent {
    told.finding(finding);
    return { kind: 'finding', finding };
  }
}

/** Reads a trace, and gives its steps to their judges; resolves to what they say at its end. */
async function readInto(
  ahead: ReadAhead<Told>,
  bytes: Bytes,
  { judges, judgeOf }: Pick<VerifyDeps, 'judges' | 'judgeOf'>,
): Promise<readonly Ended[]> {
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
    // It is told in its place, where that is reached.
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
  // At once: a judge may hold its steps until it knows that they are few.
  return Promise.all(judges.map((judge) => judge.end()));
}

function ignore(): void {
  // Whoever waits for it is told.
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

/** The time of the step that is judged. */
interface TraceClock {
  /** Unix ms. */
  now(): number;
  /** Another call begins; a trace that does not tell when is taken for one of a call a second. */
  advance(at: number | undefined): void;
}

/** Of a trace without times; only the distances count. */
const BEGINNING_MS = 1e12;
const STEP_MS = 1_000;

/** Time only goes forward, whatever a trace says: what is remembered has a life. */
function createTraceClock(): TraceClock {
  let nowMs = BEGINNING_MS;
  return {
    now: () => nowMs,
    advance(at) {
      nowMs = at === undefined ? nowMs + STEP_MS : Math.max(nowMs, at);
    },
  };
}
