/** Modes of card rules: `enforce` acts, `report` only judges and records, `off` skips the rule. */
export const RULE_MODES = ['enforce', 'report', 'off'] as const;
export type RuleMode = (typeof RULE_MODES)[number];

/** Modes by rule, `source/rule` or source, which is a preset or file (docs/policies.md). */
export type RuleOverrides = Readonly<Record<string, RuleMode>>;

export const MAX_OVERRIDES = 64;
