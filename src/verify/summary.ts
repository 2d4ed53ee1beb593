import { VIOLATIONS, type TraceFinding, type FindingAction } from './finding.ts';
import type { TracePlace, ReadElement } from './step.ts';

export interface Unreadable extends TracePlace {
  /** Includes the remedy. */
  readonly problem: string;
}

export interface JudgedBy {
  readonly digest: string;
  readonly sources: readonly string[];
  readonly files: readonly { readonly file: string; readonly rules: number }[];
}

export type Verdict = 'failed' | 'unjudged' | 'clean';

export interface Summary {
  readonly trace: string;
  elements: number;
  calls: number;
  responses: number;
  /** Responses to denied calls, which would not exist on the wire. */
  responsesToDenied: number;
  violations: number;
  elementsWithViolations: number;
  readonly actions: Record<FindingAction, number>;
  unreadable: number;
  /** Elements without anything to judge, by reason. */
  readonly skipped: Map<string, number>;
  /** Elements whose content could not be judged, by reason. */
  readonly unjudged: Map<string, number>;
  readonly checks: readonly string[];
  readonly policies: JudgedBy | undefined;
}

export interface SummaryWriter {
  readonly summary: Summary;
  element(element: ReadElement): void;
  finding(finding: TraceFinding): void;
}

export function createSummary(about: Pick<Summary, 'trace' | 'checks' | 'policies'>): SummaryWriter {
  const summary: Summary = {
    ...about,
    elements: 0,
    calls: 0,
    responses: 0,
    responsesToDenied: 0,
    violations: 0,
    elementsWithViolations: 0,
    actions: { deny: 0, quarantine: 0, escalate: 0, redact: 0, mask: 0, flag: 0 },
    unreadable: 0,
    skipped: new Map(),
    unjudged: new Map(),
  };
  let lastElement = -1;
  let lastViolation = -1;
  return {
    summary,
    element(element) {
      if (element.index !== lastElement) summary.elements += 1;
      lastElement = element.index;
      if (element.kind === 'unreadable') summary.unreadable += 1;
      if (element.kind === 'skipped') count(summary.skipped, element.why);
      if (element.kind === 'unjudged') count(summary.unjudged, element.why);
    },
    finding({ action, index }) {
      summary.actions[action] += 1;
      if (!VIOLATIONS.has(action)) return;
      summary.violations += 1;
      if (index !== lastViolation) summary.elementsWithViolations += 1;
      lastViolation = index;
    },
  };
}

function count(counts: Map<string, number>, why: string): void {
  counts.set(why, (counts.get(why) ?? 0) + 1);
}

/** An empty trace is not clean. */
export function isNothingJudged({ calls, responses, responsesToDenied }: Summary): boolean {
  return calls + responses + responsesToDenied === 0;
}

export function unjudgedElements({ unjudged }: Summary): number {
  return [...unjudged.values()].reduce((sum, times) => sum + times, 0);
}

/** Never `clean` if something could not be read or judged. */
export function verdictOf(summary: Summary): Verdict {
  if (summary.violations > 0 || summary.unreadable > 0) return 'failed';
  return summary.unjudged.size > 0 || isNothingJudged(summary) ? 'unjudged' : 'clean';
}
