import { isObject } from '../../json/is-object.ts';
import { NO_DECISION, type Decision, type RuleHit, type TaintHit } from '../decision.ts';

/** Of one call; a policy that gives more has gone wrong, and those beyond would not be read by anybody. */
const MAX_REASONS = 64;
const UNNAMED = 'a policy rule';

/**
 * Reads the document `gateway.policy` of a Rego set. A rule that is no set of texts where one is meant (`deny = true`,
 * a record, a number) still denies: what cannot be read must not pass.
 */
export function decisionOf(document: unknown): Decision {
  if (document === undefined) return NO_DECISION;
  const rules: Readonly<Record<string, unknown>> = isObject(document) ? document : { deny: document };
  const hits = (rule: string): RuleHit[] => reasonTexts(rules[rule]).map((reason) => ({ rule, reason }));
  return {
    ...NO_DECISION,
    quarantine: hits('quarantine'),
    deny: hits('deny'),
    escalate: hits('escalate'),
    taint: hits('taint').map((hit): TaintHit => ({ ...hit, flag: hit.reason })),
    allow: rules['allow'] === true ? [{ rule: 'allow', reason: '' }] : [],
  };
}

function reasonTexts(rule: unknown): string[] {
  if (rule === undefined || rule === false || rule === null) return [];
  if (Array.isArray(rule)) return rule.slice(0, MAX_REASONS).map(reasonText);
  // `deny["reason"] = true`, and sets of records: what has keys is named by them.
  if (isObject(rule)) return Object.keys(rule).slice(0, MAX_REASONS);
  return [reasonText(rule)];
}

function reasonText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return UNNAMED;
  const text = value['msg'] ?? value['reason'] ?? value['message'];
  return typeof text === 'string' ? text : UNNAMED;
}
