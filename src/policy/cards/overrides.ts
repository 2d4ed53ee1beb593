import { basename } from 'node:path';
import { RecentMap } from '../../recent-map.ts';
import type { PolicyCall } from '../call.ts';
import type { RuleHit } from '../decision.ts';
import type { RuleMode, RuleOverrides } from '../rule-modes.ts';

interface NamedRule {
  readonly hit: RuleHit;
}

/** Modes of all rules for one call. Unlisted rules are enforced. */
export interface RuleModes {
  /** Identifies a set of overrides; 0 is the configuration's set. */
  readonly id: number;
  readonly modeOf: (rule: NamedRule) => RuleMode;
  readonly isPlain: boolean;
}

/** Few sets exist, because keys share them. */
const MAX_KEPT = 64;

/**
 * Returns a function that returns the modes for a call. Names in a key's overrides that match no rule, or are
 * ambiguous, are ignored.
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

export interface UnknownOverride {
  readonly name: string;
  readonly problem: string;
  /** True if no rule matches, false if several do. */
  readonly isMissing: boolean;
}

interface Resolved {
  readonly modes: ReadonlyMap<NamedRule, RuleMode>;
  readonly problems: readonly UnknownOverride[];
}

/**
 * Names are `<rule>`, `<preset or file>/<rule>`, or a preset or file for all its rules. Those of rules take precedence.
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
  if (meant.length === 0) return 'matches no rule of a loaded card or preset';
  if (named.length < 2) return undefined;
  const names = named.map(({ hit }) => fullNames(hit)[0] ?? hit.rule);
  return `matches several rules: write ${names.join(' or ')}`;
}

function fullNames(hit: RuleHit): readonly string[] {
  return sourcesOf(hit).map((source) => `${source}/${hit.rule}`);
}

const PRESET = 'preset ';
const ENDING = /\.ya?ml$/;

/** A preset by its name; a file by its base name, with and without extension, and by its path. */
function sourcesOf({ file = '' }: RuleHit): readonly string[] {
  if (file.startsWith(PRESET)) return [file.slice(PRESET.length)];
  return [basename(file).replace(ENDING, ''), basename(file), file];
}
