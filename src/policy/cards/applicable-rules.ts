import { RecentMap } from '../../recent-map.ts';
import type { PolicyCall } from '../call.ts';
import { CALL_TYPES } from './card-schema.ts';
import type { CompiledRule } from './compile-card.ts';
import type { MaskRule } from './mask-rule.ts';
import type { RuleModes } from './overrides.ts';
import type { Scene } from './truth.ts';

/** The rules for one kind of call, and what is known of them before a call is looked at. */
export interface ApplicableRules {
  readonly rules: readonly CompiledRule[];
  /** How they count. */
  readonly modes: RuleModes;
  /** Those that mask, whatever the call says. */
  readonly allMasks: readonly CompiledRule[];
  /** Of these, the ones that may fire though nothing is found in the texts. */
  readonly firingOnNothing: readonly CompiledRule[];
  /** Questions to the texts that each call is asked. */
  readonly queries: ReadonlySet<number>;
  /** Rules whose questions are asked only of calls that they are not decided for without. */
  readonly undecided: readonly CompiledRule[];
  /** The mask rules, which are the same for each such call; undefined where the call decides. */
  readonly masks: readonly MaskRule[] | undefined;
}

/** Calls come again and again by the names of their models and tools; what is longer than names is gone through anew. */
const MAX_KINDS = 256;
const MAX_KIND_CHARS = 512;

/** Finds the rules for a call: once for all calls of the same provider, model, server and tool. */
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
    const asked = ofType.filter((rule) => modes.modeOf(rule) !== 'off' && rule.isFor(call));
    return applicableRules(asked, call, modes);
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

/** No two kinds have the same: names may hold anything. */
function callKindOf({ input: { request } }: PolicyCall): string {
  if (request.method === 'llm_call') return `${request.provider} llm_call ${request.model}`;
  const { provider, method, mcp_server: server, tool_name: tool } = request;
  return `${provider} ${method} ${String(server.length)} ${server} ${tool}`;
}

/** @param call any that the rules are for: those of texts alone do not look at it */
function applicableRules(
  rules: readonly CompiledRule[],
  call: PolicyCall,
  modes: RuleModes,
): ApplicableRules {
  const unsearched: Scene = { call, isFound: () => undefined };
  const nothingFound: Scene = { call, isFound: () => false };
  const queries = new Set<number>();
  for (const rule of rules) {
    if (rule.isOfTexts && asksTexts(rule, unsearched)) for (const query of rule.queries) queries.add(query);
  }
  const masks = rules.filter((rule) => rule.action === 'mask' && modes.modeOf(rule) === 'enforce');
  return {
    rules,
    modes,
    allMasks: masks,
    firingOnNothing: rules.filter((rule) => !rule.isOfTexts || fires(rule, nothingFound)),
    queries,
    undecided: rules.filter((rule) => !rule.isOfTexts && rule.queries.length > 0),
    masks: masks.every(({ isOfTexts }) => isOfTexts)
      ? masks.filter(({ test }) => test(unsearched) !== false)
      : undefined,
  };
}

/**
 * Whether a rule's questions to the texts must be asked: what is out without them needs nothing.
 * @param unsearched the call, of whose texts nothing is known
 */
export function asksTexts(rule: CompiledRule, unsearched: Scene): boolean {
  const truth = rule.test(unsearched);
  return truth === undefined || (truth && rule.tellsMatch);
}

/** What cannot be told counts against the call. */
export function fires(rule: CompiledRule, scene: Scene): boolean {
  const truth = rule.test(scene);
  return rule.action === 'allow' ? truth === true : truth !== false;
}
