import { RecentMap } from '../../recent-map.ts';
import { globMatches } from '../../text/glob.ts';
import { INITIAL_STATE, type CallType, type McpRequestInput, type PolicyCall } from '../call.ts';
import type { RuleHit } from '../decision.ts';
import { ANY_MCP, typesNamed, type CardRule, type ReadCard } from './card-schema.ts';
import {
  compileCondition,
  ConditionError,
  joined,
  type Compiled,
  type CompileContext,
} from './conditions.ts';
import { judgesWholeTexts } from '../named-detectors.ts';
import type { TextPattern } from './mask-rule.ts';
import { quotesMatch } from './reason.ts';
import { foldedMatcher } from './tool-names.ts';
import type { TextQueries } from './text-queries.ts';
import { allOf, type Test } from './truth.ts';

export interface CompiledRule extends Compiled {
  readonly hit: RuleHit;
  readonly action: CardRule['action'];
  /** Empty unless the rule taints. */
  readonly flag: string;
  /** Undefined for all types. */
  readonly types: ReadonlySet<CallType> | undefined;
  /** Evaluates `match`, except for the type. */
  readonly appliesTo: (call: PolicyCall) => boolean;
  readonly conditions: readonly { readonly written: unknown; readonly test: Test }[];
  /** Whether the reason quotes a match. If so, queries must run even if the rule fires without them. */
  readonly quotesMatch: boolean;
}

export function compileRules(
  { card, lineOf, problem }: ReadCard,
  {
    file,
    queries,
    isPreset,
  }: { readonly file: string; readonly queries: TextQueries; readonly isPreset: boolean },
  problems: string[],
): readonly CompiledRule[] {
  const initialState = card.fsm?.initial_state ?? INITIAL_STATE;
  const names = new Set<string>();
  return card.rules.flatMap((rule, index) => {
    const path = ['rules', index];
    if (names.has(rule.name)) problems.push(problem([...path, 'name'], 'is also the name of another rule'));
    names.add(rule.name);
    if (isPreset && rule.action === 'allow')
      problems.push(problem([...path, 'action'], 'presets never allow'));
    try {
      const source = { file, line: lineOf(path) };
      const trust = { ...card.trust, ...rule.trust };
      return [compileRule(rule, source, { queries, initialState, allows: rule.action === 'allow', trust })];
    } catch (failure) {
      if (!(failure instanceof ConditionError)) throw failure;
      problems.push(problem([...path, ...failure.path], failure.message));
      return [];
    }
  });
}

function compileRule(
  rule: CardRule,
  source: { readonly file: string; readonly line: number },
  context: CompileContext,
): CompiledRule {
  const parts = rule.conditions.map((condition, index) =>
    compileCondition(condition, ['conditions', index], context),
  );
  const needs = joined(parts);
  if (rule.action === 'mask' && needs.patterns.length === 0) {
    const message = 'mask needs a condition that matches text: contains, matches_regex or detects';
    throw new ConditionError(['action'], message);
  }
  const whole = needs.patterns.map(({ pattern }) => pattern).find(isOfWholeTexts);
  if (rule.action === 'mask' && whole !== undefined)
    throw new ConditionError(['action'], `${whole.detector} judges whole texts and cannot mask: use deny`);
  const reason = rule.reason ?? rule.description ?? `rule ${rule.name}`;
  return {
    hit: { rule: rule.name, reason, ...source, ...(!rule.score && { isUnscored: true as const }) },
    action: rule.action,
    flag: rule.taint ?? '',
    types: callTypesOf(rule),
    appliesTo: matcherOf(rule),
    test: (scene) => allOf(parts, ({ test }) => test(scene)),
    conditions: parts.map(({ test }, index) => ({ written: rule.conditions[index], test })),
    ...needs,
    quotesMatch: quotesMatch(reason),
  };
}

function isOfWholeTexts(pattern: TextPattern): pattern is TextPattern & { kind: 'detects' } {
  return pattern.kind === 'detects' && judgesWholeTexts(pattern.detector);
}

/** Results are cached, because tool and model names repeat. Longer names are not cached. */
const MAX_KNOWN_NAMES = 64;
const MAX_NAME_CHARS = 128;

/**
 * Without `match.type`, rules about tools apply to tool calls, about servers to all MCP calls, and about models to
 * model calls.
 */
function callTypesOf({ match }: CardRule): ReadonlySet<CallType> | undefined {
  if (match.type !== undefined) return typesNamed(match.type);
  if (match.tool !== undefined) return new Set(['mcp_tool_call']);
  if (match.server !== undefined) return typesNamed(ANY_MCP);
  return match.model === undefined ? undefined : new Set(['llm_call']);
}

/** Restricting rules also match other spellings of a name, such as `Bash` for `bash`; allowing rules match exactly. */
function matcherOf({ match, action }: CardRule): (call: PolicyCall) => boolean {
  const allows = action === 'allow';
  function matchesAny(
    globs: string | readonly string[] | undefined,
    isFolded = false,
  ): (name: string) => boolean {
    if (globs === undefined) return () => true;
    const matchesOne = nameMatcher([globs].flat(), { allows, isFolded });
    const known = new RecentMap<boolean>(MAX_KNOWN_NAMES);
    return (name) => {
      const cached = known.get(name);
      if (cached !== undefined) return cached;
      const matches = matchesOne(name);
      if (name.length <= MAX_NAME_CHARS) known.set(name, matches);
      return matches;
    };
  }
  const [isTool, isServer, isModel, isProvider] = [
    matchesAny(match.tool, true),
    matchesAny(match.server),
    matchesAny(match.model),
    matchesAny(match.provider),
  ];
  const isOfTools = match.tool !== undefined || match.server !== undefined;
  const isToolOf = ({ method, tool_name: tool }: McpRequestInput): boolean =>
    match.tool === undefined || (method === 'mcp_tool_call' && isTool(tool));
  return ({ input: { request } }) => {
    if (!isProvider(request.provider)) return false;
    return request.method === 'llm_call'
      ? !isOfTools && isModel(request.model)
      : match.model === undefined && isServer(request.mcp_server) && isToolOf(request);
  };
}

/** @param isFolded for tool names, which have several spellings */
function nameMatcher(
  globs: readonly string[],
  { allows, isFolded }: { readonly allows: boolean; readonly isFolded: boolean },
): (name: string) => boolean {
  if (allows) return (name) => globs.some((glob) => globMatches(glob, name));
  if (isFolded) return foldedMatcher(globs);
  const written = globs.map((glob) => glob.toLowerCase());
  return (name) => written.some((glob) => globMatches(glob, name.toLowerCase()));
}
