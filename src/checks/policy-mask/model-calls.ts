import { addAll } from '../../add-all.ts';
import type { FindAll } from '../../detectors/finding.ts';
import { editedView } from '../../json/edit-tree.ts';
import { valueAt, type JsonEdit } from '../../json/path.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import { joinedPrompts } from '../../policy/joined-parts.ts';
import type { ArgumentMasks, InjectionMasks, Masks } from '../../policy/masking/masks.ts';
import { isTrusted } from '../../policy/trust.ts';
import { instructionRole } from '../../providers/instructions.ts';
import type { JsonObject } from '../../json/is-object.ts';
import type { PromptText } from '../../providers/request-facts.ts';
import { distinctFindings, type RefusalFinding } from '../../where-found.ts';
import { findsNothing } from '../../inspect/inspected.ts';
import { inspectRequest, type InspectedRequest } from '../../inspect/request.ts';
import {
  isWithin,
  PathTreeBuilder,
  conversationPlaces,
  wordsAreAt,
} from '../../inspect/conversation-places.ts';
import type { WordsPlace } from '../../inspect/whole/document-search.ts';
import type { MaskSearch } from '../../policy/masking/search.ts';

interface MaskedRequest {
  readonly rules: ReadonlySet<string>;
  readonly unmaskable: readonly RefusalFinding[];
  readonly edits: readonly JsonEdit[];
  /** Names of client headers to withhold. */
  readonly headers: ReadonlySet<string>;
}

interface Search<Body> {
  readonly findAll: FindAll;
  /** Limits the search. By default, it covers the body and everything sent with it. */
  readonly scopeOf?: (body: Body) => ((place: WordsPlace) => boolean) | undefined;
}

export async function maskRequest(exchange: Parsed, masks: Masks): Promise<MaskedRequest> {
  const edits: JsonEdit[] = [];
  const rules = new Set<string>();
  const unmaskable: RefusalFinding[] = [];
  let headers: ReadonlySet<string> = new Set();
  for (const { findAll, scopeOf } of searchesOf(masks)) {
    if (scopeOf === undefined && edits.length === 0) {
      const { edits: earlier, facts } = exchange;
      const nothing = findsNothing({ searched: facts.searched, edits: earlier }, findAll);
      if (nothing instanceof Promise ? await nothing : nothing) continue;
    }
    const seen = withEdits(exchange, [...exchange.edits, ...edits]);
    const inspected = await inspectRequest(seen, findAll, scopeOf?.(seen));
    for (const { finding } of inspected.found) rules.add(finding.rule);
    addAll(unmaskable, unmaskableFindings(inspected));
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

function unmaskableFindings({ found, unmaskable }: InspectedRequest): readonly RefusalFinding[] {
  if (unmaskable.length === 0) return [];
  const fixed = new Set(unmaskable);
  const fixedFindings = found.filter(({ finding }) => fixed.has(finding));
  return distinctFindings(
    fixedFindings.map(({ finding, where }) => ({
      rule: finding.rule,
      ...(finding.class !== 'pattern' && { detector: finding.detector }),
      class: finding.class,
      ...where,
    })),
  );
}

/** Returns rules that match across two parts of a message, where a mask would leave half a word behind. */
async function rulesOverParts(request: Parsed['request'], overParts: MaskSearch): Promise<readonly string[]> {
  const found = await overParts.findAll([...joinedPrompts(request.texts)]);
  return found.flatMap(({ findings }) => findings.map(({ rule }) => rule));
}

function searchesOf({ plainData, injections, words, inArguments }: Masks): readonly Search<Parsed>[] {
  return [
    ...(plainData === undefined ? [] : [{ findAll: plainData.findAll }]),
    ...injections.map(({ search, trust }) => ({ findAll: search.findAll, scopeOf: outsideTrusted(trust) })),
    ...(words === undefined
      ? []
      : [
          {
            findAll: words.findAll,
            scopeOf: ({ json, request }: Parsed) => wordsAreAt(conversationPlaces(json, request.texts)),
          },
        ]),
    ...inArguments.map(({ search, path }) => ({ findAll: search.findAll, scopeOf: () => inArgument(path) })),
  ];
}

/** Returns a scope without the instructions that the call or the rules trust. */
function outsideTrusted(ofRules: InjectionMasks['trust']): NonNullable<Search<Parsed>['scopeOf']> {
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

function inArgument(path: ArgumentMasks['path']): (place: WordsPlace) => boolean {
  const to = ['params', 'arguments', ...path];
  return ({ kind, path: at }) =>
    at.length >= to.length + (kind === 'name' ? 1 : 0) &&
    to.every((step, index) => String(at[index]) === step);
}

/** Returns the request with the edits applied and an empty edit list. */
function withEdits(exchange: Parsed, before: readonly JsonEdit[]): Parsed {
  if (before.length === 0) return { ...exchange, edits: [] };
  const json = editedView(exchange.json, before) as JsonObject;
  const texts = exchange.request.texts.flatMap((text) => textNow(text, exchange.json, json));
  return { ...exchange, json, request: { ...exchange.request, texts }, edits: [] };
}

function textNow(earlier: PromptText, before: unknown, now: unknown): PromptText[] {
  if (before === now) return [earlier];
  const text = valueAt(now, earlier.path);
  if (text === undefined || text === null) return [];
  // Keeps the earlier text if the document contains it in another form.
  return typeof text === 'string' && valueAt(before, earlier.path) === earlier.text
    ? [{ ...earlier, text }]
    : [earlier];
}
