import type { DetectorName } from '../../detectors/finding.ts';
import type { RuleHit } from '../decision.ts';
import type { RuleTrust } from '../trust.ts';

/** A rule that takes something out of texts: of requests, of answers and streams, of tools' results. */
export interface MaskRule {
  readonly hit: RuleHit;
  /** What is taken out; at least one. */
  readonly patterns: readonly MaskPattern[];
}

/** `field` is `prompt_text` (any text of the call and of its answer) or below `arguments` (of a tool's call alone). */
export interface MaskPattern {
  /** Below `arguments`; undefined for any text. */
  readonly argument: readonly string[] | undefined;
  readonly what: TextPattern;
  /** What the rule says of trust, where it looks for injections. */
  readonly trust?: RuleTrust | undefined;
}

/** What text conditions look for. */
export type TextPattern =
  /** With `ignoreCase` in any case and in disguise (docs/normalization.md); else character by character. */
  | { readonly kind: 'contains'; readonly text: string; readonly ignoreCase: boolean }
  /** RE2's syntax. */
  | { readonly kind: 'regex'; readonly source: string }
  | {
      readonly kind: 'detects';
      readonly detector: DetectorName;
      /** Least score of what a model judges; its own where absent. */
      readonly threshold?: number;
    };
