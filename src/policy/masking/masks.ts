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

/** What is taken out of one exchange: the patterns of the mask rules that hold for it, ready to be looked for. */
export interface Masks {
  /** All that is looked for in any text. Undefined where arguments alone are masked. */
  readonly everywhere: MaskSearch | undefined;
  /**
   * Of these, what the detectors find: it is data wherever it stands, in names of members and numbers too. What a rule
   * spells out may be a word of the protocol as well, which a mask would break.
   */
  readonly data: MaskSearch | undefined;
  /** Of `data`, what is looked for in requests whoever says it. */
  readonly plainData: MaskSearch | undefined;
  /** Of `data`, what is not looked for in a request's trusted instructions. */
  readonly injections: readonly InjectionMasks[];
  /** Of these, what a rule spells out (`contains`, `matches_regex`). */
  readonly words: MaskSearch | undefined;
  /** Of these, words that a rule names, which may stand over two parts of a message. */
  readonly overParts: MaskSearch | undefined;
  /** What is looked for in one argument of a tool's call. */
  readonly inArguments: readonly ArgumentMasks[];
}

export interface InjectionMasks {
  /** What the rules say of trust. */
  readonly trust: RuleTrust | undefined;
  readonly search: MaskSearch;
}

export interface ArgumentMasks {
  /** Below `arguments`. */
  readonly path: readonly string[];
  readonly search: MaskSearch;
}

/** Sets of rules whose detectors, and the texts that they found clean, are kept. */
const MAX_KEPT = 16;

/**
 * Makes detectors out of mask rules, once for each set of them.
 * @throws Error that says what is wrong with an expression
 */
export function createMasksOf(): (rules: readonly MaskRule[]) => Masks | undefined {
  const kept = new RecentMap<Masks>(MAX_KEPT);
  /** Rules that texts alone decide come in one and the same list. */
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

/**
 * Names by which equal rules are one, also those of a set that was loaded anew: what is told of a rule is written out
 * once, and not for every call.
 */
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
    overParts: searchFor(anywhere.filter(({ what }) => what.kind === 'contains' && what.ignoreCase)),
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

/** Agents send their history again with every turn: what was clean is not searched twice. */
function remembering(patterns: readonly LabelledPattern[]): MaskSearch | undefined {
  if (patterns.length === 0) return undefined;
  const search = createMaskSearch(patterns);
  const findAll = rememberClean<SearchedText>({
    read: search.findAll,
    isClean: ({ findings }) => findings.length === 0,
    clean: () => CLEAN,
    isRead: (text) => isUndisguised(text) && patterns.every(({ what }) => isFoundNothing(what, text)),
  });
  return { ...search, findAll };
}

const CLEAN: SearchedText = { findings: [], isWhole: true };

/** Who judged the call by the same rules has looked for most of it; secrets are looked for here without cuts. */
function isFoundNothing(what: TextPattern, text: CleanRecord): boolean {
  if (what.kind !== 'detects') return false;
  return what.detector === 'secrets'
    ? findsNothing(text, what.detector)
    : findsNothingInSlices(text, what.detector);
}
