/**
 * How a rule of a card counts: `enforce` does what it says; `report` judges and is written down, and refuses, masks,
 * marks and allows nothing; `off` is not asked.
 */
export const RULE_MODES = ['enforce', 'report', 'off'] as const;
export type RuleMode = (typeof RULE_MODES)[number];

/** By names of rules, `preset/rule`, or presets (docs/policies.md). */
export type RuleOverrides = Readonly<Record<string, RuleMode>>;

/** Bounds of what one key may override. */
export const MAX_OVERRIDES = 64;
