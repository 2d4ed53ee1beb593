/** Modes of a card's rule: `enforce` acts; `report` judges and records without effect; `off` is not evaluated. */
export const RULE_MODES = ['enforce', 'report', 'off'] as const;
export type RuleMode = (typeof RULE_MODES)[number];

/** By names of rules, `preset/rule`, or presets (docs/policies.md). */
export type RuleOverrides = Readonly<Record<string, RuleMode>>;

/** Limits of one key's overrides. */
export const MAX_OVERRIDES = 64;
