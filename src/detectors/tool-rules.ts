import { CREDENTIAL_RULES } from './credentials/rules.ts';
import type { Finding } from './finding.ts';
import { MARKUP_RULES } from './injection/markup.ts';
import { PERSONA_RULE } from './injection/persona.ts';
import { POISONING_RULES } from './injection/poisoning.ts';
import { KIND_RULES } from './injection/rule-kinds.ts';
import { PHRASE_RULES } from './injection/rules.ts';
import { TRAVERSAL_RULES } from './traversal/path-traversal.ts';
import { secretRules } from './secrets/rules.ts';

/** Rules of one kind; their names can stand for them all. */
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

/** A credential that a server was configured with (`mcp.servers[].headers`, `url`), in what it says. */
export const SERVER_CREDENTIAL_RULE = 'server_credential';

const POISONING: ReadonlySet<string> = new Set(POISONING_RULES);

/** The rule of the n-th of `mcp.inspector.custom_injection_patterns`. */
export function customRule(index: number): string {
  return `${CUSTOM}:${String(index)}`;
}

/** The group of a finding in an MCP server's answer. */
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

/** Every name of a rule or group that findings in an MCP server's answer may have. */
export function toolRuleNames(customPatterns: number): readonly string[] {
  const rules = [
    ...[...PHRASE_RULES, ...KIND_RULES].map(({ label }) => label.rule),
    ...MARKUP_RULES,
    PERSONA_RULE,
    ...TRAVERSAL_RULES,
    ...POISONING_RULES,
    ...secretRules.map(({ id }) => id),
    ...CREDENTIAL_RULES,
    SERVER_CREDENTIAL_RULE,
    ...Array.from({ length: customPatterns }, (_, index) => customRule(index)),
  ];
  return [...new Set([...GROUPS, ...rules])];
}
