import { CREDENTIAL_RULES } from './credentials/candidates.ts';
import type { Finding } from './finding.ts';
import { EVERY_PHRASE } from './injection/every-phrase.ts';
import { MARKUP_RULES } from './injection/markup.ts';
import { PERSONA_RULE } from './injection/persona.ts';
import { POISONING_RULES } from './injection/poisoning.ts';
import { TRAVERSAL_RULES } from './traversal/path-traversal.ts';
import { ruleIds } from './secrets/encoded.ts';

type RuleGroup = (typeof GROUPS)[number];

const GROUPS = [
  'secrets',
  'credentials',
  'prompt_injection',
  'injection_learned',
  'path_traversal',
  'tool_poisoning',
  'custom',
] as const;

const CUSTOM = 'custom';

/** Rule for a credential from a server's configuration that occurs in the server's answer. */
export const SERVER_CREDENTIAL_RULE = 'server_credential';

const POISONING: ReadonlySet<string> = new Set(POISONING_RULES);

/** Returns the rule name of `mcp.inspector.custom_injection_patterns[index]`. */
export function customRule(index: number): string {
  return `${CUSTOM}:${String(index)}`;
}

export function groupOf({ detector, rule }: Finding): RuleGroup {
  if (rule.startsWith(`${CUSTOM}:`)) return CUSTOM;
  if (POISONING.has(rule)) return 'tool_poisoning';
  const isOwn =
    detector === 'secrets' ||
    detector === 'credentials' ||
    detector === 'path_traversal' ||
    detector === 'injection_learned';
  return isOwn ? detector : 'prompt_injection';
}

/** Returns the rule and group names that `mcp.servers[].suppress` accepts. */
export function toolRuleNames(customPatterns: number): readonly string[] {
  const rules = [
    ...EVERY_PHRASE.map(({ label }) => label.rule),
    ...MARKUP_RULES,
    PERSONA_RULE,
    ...TRAVERSAL_RULES,
    ...POISONING_RULES,
    ...ruleIds,
    ...CREDENTIAL_RULES,
    SERVER_CREDENTIAL_RULE,
    ...Array.from({ length: customPatterns }, (_, index) => customRule(index)),
  ];
  return [...new Set([...GROUPS, ...rules])];
}
