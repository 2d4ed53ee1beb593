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
  /** Trust settings of the rule, if it looks for injections. */
  readonly trust?: RuleTrust | undefined;
}

export type TextPattern =
  /** With `ignoreCase`, in any case and disguise (docs/normalization.md); otherwise literal. */
  | { readonly kind: 'contains'; readonly text: string; readonly ignoreCase: boolean }
  /** A regular expression in RE2 syntax. */
  | { readonly kind: 'regex'; readonly source: string }
  | {
      readonly kind: 'detects';
      readonly detector: DetectorName;
      /** Minimum score; by default, that of the model. */
      readonly threshold?: number;
    };
