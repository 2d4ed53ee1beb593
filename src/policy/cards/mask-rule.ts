import type { DetectorName } from '../../detectors/finding.ts';
import type { RuleHit } from '../decision.ts';
import type { RuleTrust } from '../trust.ts';

/** Masks texts in requests, answers, streams and tool results. */
export interface MaskRule {
  readonly hit: RuleHit;
  readonly patterns: readonly MaskPattern[];
}

/** A pattern for `prompt_text` (any text of call and answer), or for a path below `arguments` (tool calls only). */
export interface MaskPattern {
  /** Below `arguments`; undefined for any text. */
  readonly argument: readonly string[] | undefined;
  readonly pattern: TextPattern;
  /** The rule's trust, if it looks for injections. */
  readonly trust?: RuleTrust | undefined;
}

export type TextPattern =
  /** With `ignoreCase`, in any case and disguise (docs/normalization.md); otherwise literal. */
  | { readonly kind: 'contains'; readonly text: string; readonly ignoreCase: boolean }
  /** RE2 syntax. */
  | { readonly kind: 'regex'; readonly source: string }
  | {
      readonly kind: 'detects';
      readonly detector: DetectorName;
      /** Minimum score; the model's default if absent. */
      readonly threshold?: number;
    };
