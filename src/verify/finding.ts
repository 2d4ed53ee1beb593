import type { StepType } from './step.ts';

/** What is done about a step, or would have been. */
export type FindingAction = 'deny' | 'quarantine' | 'escalate' | 'redact' | 'mask' | 'flag';

/** Those that make a trace fail: what was stopped, and attacks that were taken out. */
export const VIOLATIONS: ReadonlySet<FindingAction> = new Set(['deny', 'quarantine', 'escalate', 'redact']);

/** One thing that the gateway would have said of a step. Holds no secret, and nothing longer than a line. */
export interface TraceFinding {
  /** Of the element of the trace, from 0. */
  readonly index: number;
  /** Of the element in the trace's file, from 1. */
  readonly traceLine: number;
  readonly type: StepType;
  /** Unix ms. */
  readonly at: number | undefined;
  readonly session: string;
  readonly agent: string;
  readonly provider: string;
  /** Empty where a tool is called. */
  readonly model: string;
  readonly tool: string;
  readonly check: string;
  readonly rule: string;
  readonly action: FindingAction;
  readonly reason: string;
  /** Of the policy's rule. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly owasp: readonly string[];
}
