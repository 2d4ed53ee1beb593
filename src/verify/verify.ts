import type { Check } from '../pipeline/check.ts';
import type { AgentRisk } from '../pipeline/facts.ts';
import { createRunner } from '../pipeline/run.ts';
import type { TraceClock } from './clock.ts';
import type { Finding } from './finding.ts';
import type { FindingCollector } from './findings.ts';
import { readTrace } from './read/read-trace.ts';
import { createReplay } from './replay.ts';
import { createSummary, type JudgedBy, type Summary, type Unreadable } from './summary.ts';

/** What is told of a trace while it is judged, in its order; the last one is the summary. */
export type VerifyEvent =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'unreadable'; readonly unreadable: Unreadable }
  /** So many elements are done. */
  | { readonly kind: 'progress'; readonly elements: number }
  | { readonly kind: 'summary'; readonly summary: Summary };

export interface VerifyDeps {
  readonly checks: readonly Check[];
  readonly findings: FindingCollector;
  readonly clock: TraceClock;
  readonly riskOf: (keyHash: string) => Promise<AgentRisk>;
  readonly policies: JudgedBy | undefined;
}

const PROGRESS_EVERY = 256;

/**
 * Judges a trace as it is read: nothing of it is held but what its sessions are known by.
 * @param name what the trace is called in a report
 */
export async function* verify(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  { checks, findings, clock, riskOf, policies }: VerifyDeps,
): AsyncGenerator<VerifyEvent> {
  const newRun = createRunner({
    checks,
    // What would have been done is what is asked for.
    shadowMode: false,
    observer: {
      verdict: (_exchange, check, verdict) => findings.verdict(check, verdict),
      enforceFailed: (_exchange, _check, cause) => fail(cause),
      endFailed: (_exchange, _check, cause) => fail(cause),
    },
  });
  const replay = createReplay({ newRun, findings, clock, riskOf });
  const { summary, ...told } = createSummary({
    trace: name,
    checks: [...new Set(checks.map((check) => check.name))],
    policies,
  });

  for await (const elements of readTrace(bytes)) {
    for (const element of elements) {
      told.element(element);
      if (element.kind === 'unreadable') {
        const { index, line, problem } = element;
        yield { kind: 'unreadable', unreadable: { index, line, problem } };
      } else if (element.kind === 'steps') {
        for (const step of element.steps) {
          for (const finding of await replay.step(step, element)) yield tell(finding);
        }
      }
      if (summary.elements % PROGRESS_EVERY === 0) yield { kind: 'progress', elements: summary.elements };
    }
  }
  for (const finding of await replay.end()) yield tell(finding);
  const { calls, responses, afterDenial } = replay.counts;
  yield {
    kind: 'summary',
    summary: Object.assign(summary, { calls, responses, responsesToDenied: afterDenial }),
  };

  function tell(finding: Finding): VerifyEvent {
    told.finding(finding);
    return { kind: 'finding', finding };
  }
}

/** Stores of this process do not fail: then the work itself is broken, and no report could be trusted. */
function fail(cause: unknown): never {
  throw cause;
}
