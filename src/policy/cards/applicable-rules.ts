import { RecentMap } from '../../recent-map.ts';
import type { PolicyCall } from '../call.ts';
import { CALL_TYPES } from './card-schema.ts';
import type { CompiledRule } from './compile-card.ts';
import type { MaskRule } from './mask-rule.ts';
import type { RuleModes } from './overrides.ts';
import type { Scene } from './truth.ts';

/** The rules for one kind of call, with everything about them that does not depend on the call. */
export interface ApplicableRules {
  readonly rules: readonly CompiledRule[];
  readonly modes: RuleModes;
  /** Enforced mask rules. */
  readonly allMasks: readonly CompiledRule[];
  /** Rules that may fire even if no text matches. */
  readonly firingWithoutMatch: readonly CompiledRule[];
  /** Text queries to run for every such call. */
  readonly queries: ReadonlySet<number>;
  /** Rules whose queries run only if the call leaves them undecided. */
  readonly undecided: readonly CompiledRule[];
  /** The mask rules, if they are the same for all such calls. */
  readonly maskRules: readonly MaskRule[] | undefined;
}

/** Results are cached, because kinds of calls repeat. Longer names are not cached. */
const MAX_KINDS = 256;
const MAX_KIND_CHARS = 512;

/** Returns a function that finds the rules for a call, once per set of modes and kind of call. */
export function createRuleFinder(
  rules: readonly CompiledRule[],
  modesFor: (call: PolicyCall) => RuleModes,
): (call: PolicyCall) => ApplicableRules {
  const byType = new Map(
    CALL_TYPES.map((type) => [type, rules.filter(({ types }) => types === undefined || types.has(type))]),
  );
  const kinds = new RecentMap<ApplicableRules>(MAX_KINDS);

  function find(call: PolicyCall, modes: RuleModes): ApplicableRules {
    const ofType = byType.get(call.input.request.method) ?? [];
    const applying = ofType.filter((rule) => modes.modeOf(rule) !== 'off' && rule.appliesTo(call));
    return applicableRules(applying, call, modes);
  }

  return (call) => {
    const modes = modesFor(call);
    const kind = `${String(modes.id)} ${callKindOf(call)}`;
    if (kind.length > MAX_KIND_CHARS) return find(call, modes);
    const known = kinds.get(kind);
    if (known !== undefined) return known;
    const found = find(call, modes);
    kinds.set(kind, found);
    return found;
  };
}

/** Includes the server name's length to be unambiguous for all names. */
function callKindOf({ input: { request } }: PolicyCall): string {
  if (request.method === 'llm_call') return `${request.provider} llm_call ${request.model}`;
  const { provider, method, mcp_server: server, tool_name: tool } = request;
  return `${provider} ${method} ${String(server.length)} ${server} ${tool}`;
}

/** @param call any call of this kind; rules that depend only on texts do not read it */
function applicableRules(
  rules: readonly CompiledRule[],
  call: PolicyCall,
  modes: RuleModes,
): ApplicableRules {
  const unsearched: Scene = { call, isFound: () => undefined };
  const nothingFound: Scene = { call, isFound: () => false };
  const queries = new Set<number>();
  for (const rule of rules) {
    if (rule.readsOnlyTexts && needsQueries(rule, unsearched))
      for (const query of rule.queries) queries.add(query);
  }
  const maskRules = rules.filter((rule) => rule.action === 'mask' && modes.modeOf(rule) === 'enforce');
  return {
    rules,
    modes,
    allMasks: maskRules,
    firingWithoutMatch: rules.filter((rule) => !rule.readsOnlyTexts || fires(rule, nothingFound)),
    queries,
    undecided: rules.filter((rule) => !rule.readsOnlyTexts && rule.queries.length > 0),
    maskRules: maskRules.every((rule) => rule.readsOnlyTexts)
      ? maskRules.filter(({ test }) => test(unsearched) !== false)
      : undefined,
  };
}

/** Also true if the rule fires and its reason quotes a match. `unsearched` is the scene before any query. */
export function needsQueries(rule: CompiledRule, unsearched: Scene): boolean {
  const truth = rule.test(unsearched);
  return truth === undefined || (truth && rule.quotesMatch);
}

/** An undetermined condition counts against the call. */
export function fires(rule: CompiledRule, scene: Scene): boolean {
  const truth = rule.test(scene);
  return rule.action === 'allow' ? truth === true : truth !== false;
}
