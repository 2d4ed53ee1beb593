import { basename } from 'node:path';
import { RecentMap } from '../../recent-map.ts';
import type { PolicyCall } from '../call.ts';
import type { RuleHit } from '../decision.ts';
import type { RuleMode, RuleOverrides } from '../rule-modes.ts';

/** What a rule is known by. */
interface NamedRule {
  readonly hit: RuleHit;
}

/** How each rule counts for one call; a rule that is not in it is enforced. */
export interface RuleModes {
  /** Tells one set of overrides from another; 0 is that of the configuration alone. */
  readonly id: number;
  readonly modeOf: (rule: NamedRule) => RuleMode;
  /** Every rule is enforced. */
  readonly isPlain: boolean;
}

/** Keys have few different sets of overrides; one that is not kept is resolved again. */
const MAX_KEPT = 64;

/**
 * How rules count: as the configuration says, unless the call's key says otherwise. Names of a key that mean no rule of
 * this set, or several, are ignored, which leaves these rules as they are for everybody.
 */
export function createRuleModes(
  rules: readonly NamedRule[],
  overrides: RuleOverrides,
): (call: PolicyCall) => RuleModes {
  const forAll = modesOf(0, resolveOverrides(overrides, rules).modes);
  const kept = new RecentMap<RuleModes>(MAX_KEPT);
  let made = 0;
  return ({ overrides: ofKey }) => {
    if (ofKey === undefined) return forAll;
    const name = JSON.stringify(ofKey);
    const known = kept.get(name);
    if (known !== undefined) return known;
    made += 1;
    const own = resolveOverrides(ofKey, rules).modes;
    const modes = modesOf(made, new Map(rules.map((rule) => [rule, own.get(rule) ?? forAll.modeOf(rule)])));
    kept.set(name, modes);
    return modes;
  };
}

function modesOf(id: number, modes: ReadonlyMap<NamedRule, RuleMode>): RuleModes {
  return {
    id,
    modeOf: (rule) => modes.get(rule) ?? 'enforce',
    isPlain: [...modes.values()].every((mode) => mode === 'enforce'),
  };
}

/** A name that means no rule, or several, and what is wrong with it. */
export interface UnknownOverride {
  readonly name: string;
  readonly problem: string;
  /** It means none, and not several. */
  readonly isMissing: boolean;
}

interface Resolved {
  readonly modes: ReadonlyMap<NamedRule, RuleMode>;
  readonly problems: readonly UnknownOverride[];
}

/**
 * The rules that overrides name: `<rule>`, `<preset or file>/<rule>`, or a preset or file for all of its rules. A rule's
 * own override comes before that of its file.
 */
export function resolveOverrides(overrides: RuleOverrides, rules: readonly NamedRule[]): Resolved {
  const ofFiles = new Map<NamedRule, RuleMode>();
  const ofRules = new Map<NamedRule, RuleMode>();
  const problems: UnknownOverride[] = [];
  for (const [name, mode] of Object.entries(overrides)) {
    const inFile = rules.filter(({ hit }) => sourcesOf(hit).includes(name));
    const named = rules.filter(({ hit }) => hit.rule === name || fullNames(hit).includes(name));
    const isOfFile = named.length === 0;
    const meant = isOfFile ? inFile : named;
    const problem = problemOf(named, meant);
    if (problem !== undefined) problems.push({ name, problem, isMissing: meant.length === 0 });
    else for (const rule of meant) (isOfFile ? ofFiles : ofRules).set(rule, mode);
  }
  return { modes: new Map([...ofFiles, ...ofRules]), problems };
}

function problemOf(named: readonly NamedRule[], meant: readonly NamedRule[]): string | undefined {
  if (meant.length === 0) return 'names no rule of a card or preset that is loaded';
  if (named.length < 2) return undefined;
  const names = named.map(({ hit }) => fullNames(hit)[0] ?? hit.rule);
  return `names several rules: write ${names.join(' or ')}`;
}

function fullNames(hit: RuleHit): readonly string[] {
  return sourcesOf(hit).map((source) => `${source}/${hit.rule}`);
}

const PRESET = 'preset ';
const ENDING = /\.ya?ml$/;

/** A preset by its name, a file by its own without folder and ending, or in full. */
function sourcesOf({ file = '' }: RuleHit): readonly string[] {
  if (file.startsWith(PRESET)) return [file.slice(PRESET.length)];
  return [basename(file).replace(ENDING, ''), basename(file), file];
}
