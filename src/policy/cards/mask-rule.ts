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
  /** Path below `arguments`; undefined for any text. */
  readonly argument: readonly string[] | undefined;
  readonly pattern: TextPattern;
  /** The rule's trust settings, if the pattern looks for injections. */
  readonly trust?: RuleTrust | undefined;
}

export type TextPattern =
  /** With `ignoreCase`, matches any letter case and obfuscation (docs/normalization.md); otherwise literally. */
  | { readonly kind: 'contains'; readonly text: string; readonly ignoreCase: boolean }
  /** A regular expression in RE2 syntax. */
  | { readonly kind: 'regex'; readonly source: string }
  | {
      readonly kind: 'detects';
      readonly detector: DetectorName;
      /** Minimum score. Default: the model's. */
      readonly threshold?: number;
    };
