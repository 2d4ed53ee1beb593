import type { StepType } from './step.ts';

/** The action that the gateway would have taken on a step. */
export type FindingAction = 'deny' | 'quarantine' | 'escalate' | 'redact' | 'mask' | 'flag';

/** Actions that fail a trace: those that block a call or remove an attack. */
export const VIOLATIONS: ReadonlySet<FindingAction> = new Set(['deny', 'quarantine', 'escalate', 'redact']);

/** A check's finding about a step. Contains neither secrets nor long texts. */
export interface TraceFinding {
  /** Element index, starting at 0. */
  readonly index: number;
  /** Element line, starting at 1. */
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
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly owasp: readonly string[];
}
