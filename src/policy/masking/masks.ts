import { createHash } from 'node:crypto';
import type { SearchedText } from '../../detectors/finding.ts';
import { findsNothing, findsNothingInSlices } from '../../detectors/found-nothing.ts';
import { rememberClean, type CleanRecord } from '../../clean-texts.ts';
import { isUndisguised } from '../../normalize/known.ts';
import { RecentMap } from '../../recent-map.ts';
import type { MaskPattern, MaskRule, TextPattern } from '../cards/mask-rule.ts';
import { findsInjection, type RuleTrust } from '../trust.ts';
import { createMaskSearch, type MaskSearch } from './search.ts';
import type { LabelledPattern } from './word-search.ts';

/** The searches for one exchange, built from the mask rules that apply to it. */
export interface Masks {
  /** Search for every pattern that masks any text. Undefined if only arguments are masked. */
  readonly everywhere: MaskSearch | undefined;
  /**
   * The part of it that detectors find. Data counts anywhere, also in member names and numbers; a rule's own words may
   * be protocol words, which must not be masked there.
   */
  readonly data: MaskSearch | undefined;
  /** The part of `data` that is masked in requests regardless of the author. */
  readonly plainData: MaskSearch | undefined;
  /** The part of `data` that skips trusted instructions. */
  readonly injections: readonly InjectionMasks[];
  /** The part of `everywhere` that a rule spells out (`contains`, `matches_regex`). */
  readonly words: MaskSearch | undefined;
  /** Words that may span two parts of a message. */
  readonly acrossParts: MaskSearch | undefined;
  /** Searches within single arguments of a tool call. */
  readonly inArguments: readonly ArgumentMasks[];
}

export interface InjectionMasks {
  readonly trust: RuleTrust | undefined;
  readonly search: MaskSearch;
}

export interface ArgumentMasks {
  /** Below `arguments`. */
  readonly path: readonly string[];
  readonly search: MaskSearch;
}

/** Sets of rules whose searches and clean texts are cached. */
const MAX_KEPT = 16;

/**
 * Builds searches from mask rules, once per set.
 * @throws Error that explains what is wrong with an expression
 */
export function createMasksOf(): (rules: readonly MaskRule[]) => Masks | undefined {
  const kept = new RecentMap<Masks>(MAX_KEPT);
  /** Rules decided by texts alone always come as the same list. */
  const ofLists = new WeakMap<readonly MaskRule[], Masks>();
  const nameOf = createRuleNames();
  return (rules) => {
    if (rules.length === 0) return undefined;
    const masks = ofLists.get(rules) ?? named(rules);
    ofLists.set(rules, masks);
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

/** Returns names that are equal for equal rules, also after reloading. Each is computed once. */
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

function masksOf(rules: readonly MaskRule[]): Masks {
  const patterns = rules.flatMap(({ hit, patterns: each }) =>
    each.map((pattern) => ({ ...pattern, rule: hit.rule })),
  );
  const searchFor = (some: readonly LabelledPattern[]): MaskSearch | undefined => remembering(some);
  const anywhere = patterns.filter(({ argument }) => argument === undefined);
  const detected = anywhere.filter(({ what }) => what.kind === 'detects');
  const injections = detected.filter(({ what }) => isInjection(what));
  const data = searchFor(detected);
  return {
    everywhere: searchFor(anywhere),
    data,
    plainData: injections.length === 0 ? data : searchFor(detected.filter(({ what }) => !isInjection(what))),
    injections: byTrust(injections, searchFor),
    words: searchFor(anywhere.filter(({ what }) => what.kind !== 'detects')),
    acrossParts: searchFor(anywhere.filter(({ what }) => what.kind === 'contains' && what.ignoreCase)),
    inArguments: byArgument(patterns, searchFor),
  };
}

function isInjection(what: TextPattern): boolean {
  return what.kind === 'detects' && findsInjection(what.detector);
}

function byTrust(
  patterns: readonly (MaskPattern & LabelledPattern)[],
  searchFor: (some: readonly LabelledPattern[]) => MaskSearch | undefined,
): InjectionMasks[] {
  const groups = Map.groupBy(patterns, ({ trust }) => JSON.stringify(trust));
  return [...groups.values()].flatMap((group) => {
    const search = searchFor(group);
    return search === undefined ? [] : [{ trust: group[0]?.trust, search }];
  });
}

function byArgument(
  patterns: readonly (MaskPattern & LabelledPattern)[],
  searchFor: (some: readonly LabelledPattern[]) => MaskSearch | undefined,
): ArgumentMasks[] {
  const groups = Map.groupBy(patterns, ({ argument }) => argument && JSON.stringify(argument));
  return [...groups.values()].flatMap((group) => {
    const path = group[0]?.argument;
    const search = searchFor(group);
    return path === undefined || search === undefined ? [] : [{ path, search }];
  });
}

/** Agents resend their history, so clean texts are not searched again. */
function remembering(patterns: readonly LabelledPattern[]): MaskSearch | undefined {
  if (patterns.length === 0) return undefined;
  const search = createMaskSearch(patterns);
  const findAll = rememberClean<SearchedText>({
    read: search.findAll,
    isClean: ({ findings }) => findings.length === 0,
    clean: () => CLEAN,
    isRead: (text) => isUndisguised(text) && patterns.every(({ what }) => isKnownClean(what, text)),
  });
  return { ...search, findAll };
}

const CLEAN: SearchedText = { findings: [], isWhole: true };

/** Judgement by the same rules has already searched most of it. Secrets are searched here without cuts. */
function isKnownClean(what: TextPattern, text: CleanRecord): boolean {
  if (what.kind !== 'detects') return false;
  return what.detector === 'secrets'
    ? findsNothing(text, what.detector)
    : findsNothingInSlices(text, what.detector);
}
