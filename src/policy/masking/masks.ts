import { createHash } from 'node:crypto';
import type { SearchedText } from '../../detectors/finding.ts';
import { findsNothing, findsNothingInSlices } from '../../detectors/found-nothing.ts';
import { rememberClean, type CleanRecord } from '../../clean-texts.ts';
import { isUndisguised } from '../../normalize/known.ts';
import { RecentMap } from '../../recent-map.ts';
import type { MaskPattern, MaskRule, TextPattern } from '../cards/mask-rule.ts';
import { looksForInjection } from '../cards/text-query.ts';
import type { RuleTrust } from '../trust.ts';
import { createMaskSearch, type MaskSearch } from './search.ts';
import type { LabelledPattern } from './word-search.ts';

/** Searches for the mask rules of one exchange. */
export interface Masks {
  /** Patterns that apply to all texts; undefined if only arguments are masked. */
  readonly everywhere: MaskSearch | undefined;
  /** The part of `everywhere` that detectors search. Also masked in member names and numbers. */
  readonly data: MaskSearch | undefined;
  /** The part of `data` that is masked in requests regardless of the author. */
  readonly plainData: MaskSearch | undefined;
  /** The part of `data` that skips trusted instructions. */
  readonly injections: readonly InjectionMasks[];
  /** The part of `everywhere` that rules write out. Not masked in member names, which may be protocol words. */
  readonly words: MaskSearch | undefined;
  /** Words that may span two parts of a message. */
  readonly acrossParts: MaskSearch | undefined;
  readonly inArguments: readonly ArgumentMasks[];
}

export interface InjectionMasks {
  readonly trust: RuleTrust | undefined;
  readonly search: MaskSearch;
}

export interface ArgumentMasks {
  readonly path: readonly string[];
  readonly search: MaskSearch;
}

/** Number of rule sets whose searches and clean texts are cached. */
const MAX_KEPT = 16;

/**
 * Returns a function that builds searches from mask rules, once per set.
 * @throws Error if a regular expression is invalid
 */
export function createMasksOf(): (rules: readonly MaskRule[]) => Masks | undefined {
  const kept = new RecentMap<Masks>(MAX_KEPT);
  /** By array identity, because rules that depend only on texts always arrive in the same array. */
  const masksOfLists = new WeakMap<readonly MaskRule[], Masks>();
  const nameOf = createRuleNames();
  return (rules) => {
    if (rules.length === 0) return undefined;
    const masks = masksOfLists.get(rules) ?? named(rules);
    masksOfLists.set(rules, masks);
    return masks;
  };

  function named(rules: readonly MaskRule[]): Masks {
    const key = rules.map(nameOf).join();
    const known = kept.get(key);
    if (known !== undefined) return known;
    const masks = masksOf(rules);
    kept.set(key, masks);
    return masks;
  }
}

/** Returns a function that names rules. Equal rules have the same name, even after a reload. */
function createRuleNames(): (rule: MaskRule) => string {
  const names = new WeakMap<MaskRule, string>();
  return (rule) => {
    const known = names.get(rule);
    if (known !== undefined) return known;
    const name = createHash('sha256')
      .update(JSON.stringify([rule.hit.rule, rule.patterns]))
      .digest('base64');
    names.set(rule, name);
    return name;
  };
}

type RulePattern = MaskPattern & LabelledPattern;

function masksOf(rules: readonly MaskRule[]): Masks {
  const patterns = rules.flatMap(({ hit, patterns: each }) =>
    each.map((pattern): RulePattern => ({ ...pattern, rule: hit.rule })),
  );
  const anywhere = patterns.filter(({ argument }) => argument === undefined);
  const inArguments = patterns.filter(({ argument }) => argument !== undefined);
  const detected = anywhere.filter(({ pattern }) => pattern.kind === 'detects');
  const injections = detected.filter(({ pattern }) => looksForInjection(pattern));
  const data = searchFor(detected);
  return {
    everywhere: searchFor(anywhere),
    data,
    plainData:
      injections.length === 0
        ? data
        : searchFor(detected.filter(({ pattern }) => !looksForInjection(pattern))),
    injections: searchesBy(injections, ({ trust }) => JSON.stringify(trust)).map(([{ trust }, search]) => ({
      trust,
      search,
    })),
    words: searchFor(anywhere.filter(({ pattern }) => pattern.kind !== 'detects')),
    acrossParts: searchFor(
      anywhere.filter(({ pattern }) => pattern.kind === 'contains' && pattern.ignoreCase),
    ),
    inArguments: searchesBy(inArguments, ({ argument }) => JSON.stringify(argument)).flatMap(
      ([{ argument: path }, search]) => (path === undefined ? [] : [{ path, search }]),
    ),
  };
}

function searchesBy(
  patterns: readonly RulePattern[],
  keyOf: (pattern: RulePattern) => string | undefined,
): (readonly [RulePattern, MaskSearch])[] {
  return [...Map.groupBy(patterns, keyOf).values()].flatMap((group) => {
    const [first] = group;
    const search = searchFor(group);
    return first === undefined || search === undefined ? [] : [[first, search] as const];
  });
}

/** Remembers clean texts, because agents resend their history. */
function searchFor(patterns: readonly LabelledPattern[]): MaskSearch | undefined {
  if (patterns.length === 0) return undefined;
  const search = createMaskSearch(patterns);
  const findAll = rememberClean<SearchedText>({
    read: search.findAll,
    isClean: ({ findings }) => findings.length === 0,
    clean: () => CLEAN,
    isRead: (text) => isUndisguised(text) && patterns.every(({ pattern }) => isKnownClean(pattern, text)),
  });
  return { ...search, findAll };
}

const CLEAN: SearchedText = { findings: [], isWhole: true };

/** Reuses results of rule evaluation. Secrets differ, because masking searches for them in whole texts, not slices. */
function isKnownClean(pattern: TextPattern, text: CleanRecord): boolean {
  if (pattern.kind !== 'detects') return false;
  return pattern.detector === 'secrets'
    ? findsNothing(text, pattern.detector)
    : findsNothingInSlices(text, pattern.detector);
}
