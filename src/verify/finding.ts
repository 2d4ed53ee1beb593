import type { StepType } from './step.ts';

/** The action taken on a step, or that would have been taken. */
export type FindingAction = 'deny' | 'quarantine' | 'escalate' | 'redact' | 'mask' | 'flag';

/** Actions that fail a trace: blocked calls, and attacks that were removed. */
export const VIOLATIONS: ReadonlySet<FindingAction> = new Set(['deny', 'quarantine', 'escalate', 'redact']);

/** One finding of a check about a step. Holds no secret and nothing longer than a line. */
export interface TraceFinding {
  /** Index of the trace's element, from 0. */
  readonly index: number;
  /** Line of the element in the trace file, from 1. */
  readonly traceLine: number;
  readonly type: StepType;
  /** Unix ms. */
  readonly at: number | undefined;
  readonly session: string;
  readonly agent: string;
  readonly provider: string;
  /** Empty for tool calls. */
  readonly model: string;
  readonly tool: string;
  readonly check: string;
  readonly rule: string;
  readonly action: FindingAction;
  readonly reason: string;
  /** Source file of the policy's rule. */
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly owasp: readonly string[];
}
