import { addAll } from '../../add-all.ts';
import type { FindAll } from '../../detectors/finding.ts';
import { editedView } from '../../json/edited-view.ts';
import { valueAt, type JsonEdit } from '../../json/path.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { joinedPrompts } from '../../policy/joined-parts.ts';
import type { ArgumentMasks, InjectionMasks, Masks } from '../../policy/masking/masks.ts';
import { isTrusted } from '../../policy/trust.ts';
import { instructionRole } from '../../providers/instructions.ts';
import type { JsonObject } from '../../providers/dialect.ts';
import type { PromptText } from '../../providers/request-facts.ts';
import { distinctFindings, type RefusalFinding } from '../../where-found.ts';
import { inspectRequest, type InspectedRequest } from '../../inspect/request.ts';
import {
  isWithin,
  PathTreeBuilder,
  conversationPlaces,
  wordsAreAt,
} from '../../inspect/conversation-places.ts';
import type { WordsPlace } from '../../inspect/whole/document-search.ts';
import { after, type Awaitable } from '../../turns.ts';
import type { MaskSearch } from '../../policy/masking/search.ts';

/** The masks of policies' rules in a request. */
interface MaskedRequest {
  /** Rules that matched. */
  readonly rules: ReadonlySet<string>;
  /** Matches that cannot be masked. */
  readonly unmaskable: readonly RefusalFinding[];
  readonly edits: readonly JsonEdit[];
  /** Names of client headers to withhold. */
  readonly headers: ReadonlySet<string>;
}

/** A search of a body for some of the patterns. */
interface Look<Body> {
  readonly findAll: FindAll;
  /** Undefined, or returning undefined: searches the body and everything sent beside it. */
  readonly looksAt?: (body: Body) => ((place: WordsPlace) => boolean) | undefined;
}

/** Masks a request after the edits of earlier checks. */
export async function maskRequest(exchange: Parsed, masks: Masks): Promise<MaskedRequest> {
  const edits: JsonEdit[] = [];
  const rules = new Set<string>();
  const unmaskable: RefusalFinding[] = [];
  let headers: ReadonlySet<string> = new Set();
  for (const { findAll, looksAt } of looksAtRequest(masks)) {
    if (looksAt === undefined && edits.length === 0) {
      const nothing = findsNothing(exchange, findAll);
      if (nothing instanceof Promise ? await nothing : nothing) continue;
    }
    const seen = withEdits(exchange, [...exchange.edits, ...edits]);
    const inspected = await inspectRequest(seen, findAll, looksAt?.(seen));
    for (const { finding } of inspected.found) rules.add(finding.rule);
    addAll(unmaskable, ofPolicies(inspected));
    if (inspected.found.length === 0) continue;
    (await inspected.mask())();
    addAll(edits, seen.edits);
    headers = new Set([...headers, ...inspected.headers]);
  }
  if (masks.acrossParts !== undefined) {
    const { request } = withEdits(exchange, [...exchange.edits, ...edits]);
    for (const rule of await rulesOverParts(request, masks.acrossParts)) {
      rules.add(rule);
      unmaskable.push({ rule, detector: 'contains', class: 'pattern' });
    }
  }
  return { rules, unmaskable: distinctFindings(unmaskable), edits, headers };
}

/** Searches the texts that DLP has read: an unedited request has no others. */
function findsNothing({ edits, facts: { searched } }: Parsed, findAll: FindAll): Awaitable<boolean> {
  if (searched === undefined || edits.length > 0) return false;
  return after(findAll(searched), (found) =>
    found.every(({ findings, isWhole }) => isWhole && findings.length === 0),
  );
}

/** Returns the findings that no mask can remove, by their rules. */
function ofPolicies({ found, unmaskable }: InspectedRequest): readonly RefusalFinding[] {
  if (unmaskable.length === 0) return [];
  const fixed = new Set(unmaskable);
  const told = found.filter(({ finding }) => fixed.has(finding));
  return distinctFindings(
    told.map(({ finding, where }) => ({
      rule: finding.rule,
      ...(finding.class !== 'pattern' && { detector: finding.detector }),
      class: finding.class,
      ...where,
    })),
  );
}

/** Returns rules whose words span two parts of a message, where a mask would leave half of one. */
async function rulesOverParts(request: Parsed['request'], overParts: MaskSearch): Promise<readonly string[]> {
  const found = await overParts.findAll([...joinedPrompts(request.texts)]);
  return found.flatMap(({ findings }) => findings.map(({ rule }) => rule));
}

function looksAtRequest({ plainData, injections, words, inArguments }: Masks): readonly Look<Parsed>[] {
  return [
    ...(plainData === undefined ? [] : [{ findAll: plainData.findAll }]),
    ...injections.map(({ search, trust }) => ({ findAll: search.findAll, looksAt: outsideTrusted(trust) })),
    ...(words === undefined
      ? []
      : [
          {
            findAll: words.findAll,
            looksAt: ({ json, request }: Parsed) => wordsAreAt(conversationPlaces(json, request.texts)),
          },
        ]),
    ...inArguments.map(({ search, path }) => ({ findAll: search.findAll, looksAt: () => inArgument(path) })),
  ];
}

/** Searches everywhere except in instructions trusted by the call or the rules. */
function outsideTrusted(ofRules: InjectionMasks['trust']): NonNullable<Look<Parsed>['looksAt']> {
  return ({ request, facts }) => {
    const trust = facts.judged?.call.trust;
    if (trust === undefined) return undefined;
    const trusted = new PathTreeBuilder();
    for (const found of request.texts) {
      const role = instructionRole(found);
      if (role !== undefined && isTrusted(role, trust, ofRules)) trusted.add(found.path);
    }
    const { tree } = trusted;
    return tree.size === 0 ? undefined : ({ path }) => !isWithin(tree, path);
  };
}

/** Searches an argument of a tool call, and below. */
function inArgument(path: ArgumentMasks['path']): (place: WordsPlace) => boolean {
  const to = ['params', 'arguments', ...path];
  return ({ kind, path: at }) =>
    at.length >= to.length + (kind === 'name' ? 1 : 0) &&
    to.every((step, index) => String(at[index]) === step);
}

/** Returns a request with edits applied, and an edit list of its own. */
function withEdits(exchange: Parsed, before: readonly JsonEdit[]): Parsed {
  if (before.length === 0) return { ...exchange, edits: [] };
  const json = editedView(exchange.json, before) as JsonObject;
  const texts = exchange.request.texts.flatMap((one) => textNow(one, exchange.json, json));
  return { ...exchange, json, request: { ...exchange.request, texts }, edits: [] };
}

/** Returns a text in its current form; nothing if its place is gone. */
function textNow(one: PromptText, before: unknown, now: unknown): PromptText[] {
  if (before === now) return [one];
  const text = valueAt(now, one.path);
  if (text === undefined || text === null) return [];
  // A text in another form is not a string there, and is not edited.
  return typeof text === 'string' && valueAt(before, one.path) === one.text ? [{ ...one, text }] : [one];
}
