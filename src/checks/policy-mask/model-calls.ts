import { addAll } from '../../add-all.ts';
import type { FindAll, StreamDetector } from '../../detectors/finding.ts';
import { editedView, valueAt } from '../../json/edited-view.ts';
import type { JsonEdit, JsonPath } from '../../json/path.ts';
import { readMediaType } from '../../media-type.ts';
import { PASS, type StreamRewriter, type Verdict } from '../../pipeline/check.ts';
import type { Answered, Parsed, WholeAnswer } from '../../pipeline/exchange.ts';
import { joinedPrompts } from '../../policy/joined-parts.ts';
import type { ArgumentMasks, InjectionMasks, Masks } from '../../policy/masking/masks.ts';
import { isTrusted } from '../../policy/trust.ts';
import { instructionRole } from '../../providers/instructions.ts';
import type { AnswerFacts, AnswerText, JsonObject, PromptText } from '../../providers/provider.ts';
import { masking, type Found } from '../../inspect/inspected.ts';
import { distinctFindings, type RefusalFinding } from '../../where-found.ts';
import { inspectRequest, type InspectedRequest } from '../../inspect/request.ts';
import { createMaskingRewriter, type FindingsJudge } from '../../inspect/stream/rewriter.ts';
import type { WordsPlace } from '../../inspect/whole/document-search.ts';
import { inspectJson } from '../../inspect/whole/json-answer.ts';
import { rewriteWhole, sniffedStream } from '../../inspect/whole/sniffed-stream.ts';
import { BINARY, inspectAnswer } from '../../inspect/whole/answer.ts';
import { after, type Awaitable } from '../../turns.ts';
import type { MaskSearch } from '../../policy/masking/search.ts';
import { isWithin, PathTreeBuilder, type PathTree } from '../../inspect/path-tree.ts';
import { isIdentifier } from '../../inspect/opaque-members.ts';

/** What the mask rules of policies take out of a request. */
interface MaskedRequest {
  /** Rules that matched. */
  readonly rules: ReadonlySet<string>;
  /** Of these, the ones that matched where nothing can be put in place. */
  readonly unmaskable: readonly RefusalFinding[];
  readonly edits: readonly JsonEdit[];
  /** Names of client headers that are not to be sent. */
  readonly headers: ReadonlySet<string>;
}

/** One look at a body, for some of the patterns. */
interface Look<Body> {
  readonly findAll: FindAll;
  /** Undefined, or giving it: all of the body, and what is sent beside it. */
  readonly looksAt?: (body: Body) => ((place: WordsPlace) => boolean) | undefined;
}

/** Looks at a request as the checks before have left it. */
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
    addRules(rules, inspected.found);
    addAll(unmaskable, ofPolicies(inspected));
    if (inspected.found.length === 0) continue;
    (await inspected.mask())();
    addAll(edits, seen.edits);
    headers = new Set([...headers, ...inspected.headers]);
  }
  if (masks.overParts !== undefined) {
    const { request } = withEdits(exchange, [...exchange.edits, ...edits]);
    for (const rule of await rulesOverParts(request, masks.overParts)) {
      rules.add(rule);
      unmaskable.push({ rule, detector: 'contains', class: 'pattern' });
    }
  }
  return { rules, unmaskable: distinctFindings(unmaskable), edits, headers };
}

/** Searches what DLP has searched, so that the body is gone through once: an unedited request has no other texts. */
function findsNothing({ edits, facts: { searched } }: Parsed, findAll: FindAll): Awaitable<boolean> {
  if (searched === undefined || edits.length > 0) return false;
  return after(findAll(searched), (found) =>
    found.every(({ findings, isWhole }) => isWhole && findings.length === 0),
  );
}

/** What no mask can take out, under the names of the rules that ask for it. */
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

/** Rules whose words stand over two parts of a message, where a mask in either would leave half of one. */
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
            looksAt: ({ json, request }: Parsed) => wordsAreAt(saidPlaces(json, request.texts)),
          },
        ]),
    ...inArguments.map(({ search, path }) => ({ findAll: search.findAll, looksAt: () => inArgument(path) })),
  ];
}

/** Everywhere but in instructions that the call, or the rules, trust. */
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

/** At an argument of a tool's call, and below. */
function inArgument(path: ArgumentMasks['path']): (place: WordsPlace) => boolean {
  const to = ['params', 'arguments', ...path];
  return ({ kind, path: at }) =>
    at.length >= to.length + (kind === 'name' ? 1 : 0) &&
    to.every((step, index) => String(at[index]) === step);
}

type Said = Pick<PromptText, 'path' | 'editable'> & { readonly kind?: string };

/**
 * Where people and models speak: texts that the dialect knows, and arguments with all their names and numbers. Names
 * and schemas of tools are the protocol's, and so is what nobody may change.
 */
function saidPlaces(json: unknown, texts: readonly Said[]): PathTree {
  const said = new PathTreeBuilder();
  for (const { path, kind, editable } of texts) {
    if (kind === 'tool_definition') continue;
    if (editable === false && typeof valueAt(json, path) === 'string') continue;
    said.add(path);
  }
  return said.tree;
}

/**
 * Where a rule's own words are looked for: where something is said, and in whatever other value looks like words. A role,
 * an id, the name of a model are left alone, for a mask there would break the message.
 */
function wordsAreAt(said: PathTree): (place: WordsPlace) => boolean {
  return ({ kind, text, path }) => isWithin(said, path) || (kind === 'string' && !isIdentifier(text));
}

/** Masks a whole answer of a provider, as the checks before have left it. */
export async function maskAnswer(exchange: Answered, masks: Masks): Promise<Verdict> {
  const { whole } = exchange.answer;
  if (whole === undefined || masks.everywhere === undefined) return PASS;
  return whole.json === undefined || whole.replacement !== undefined
    ? maskBytes(exchange, whole, masks)
    : maskJson(exchange, whole, masks);
}

async function maskJson(exchange: Answered, whole: WholeAnswer, { data, words }: Masks): Promise<Verdict> {
  const edits: JsonEdit[] = [];
  const rules = new Set<string>();
  for (const search of [data, words]) {
    if (search === undefined) continue;
    const json = editedView(whole.json, [...whole.edits, ...edits]);
    const facts = factsOf(exchange.answer.facts, json);
    const looksAt = search === words ? wordsAreAt(saidPlaces(json, facts?.texts ?? [])) : undefined;
    const seen = { ...whole, json, edits: [] };
    const inspected = await inspectJson(
      seen,
      facts,
      search.findAll,
      looksAt === undefined ? {} : { looksAt },
    );
    addRules(rules, inspected.found);
    if (inspected.found.length === 0) continue;
    (await inspected.mask())();
    addAll(edits, seen.edits);
  }
  return maskedBy(exchange, rules, () => {
    addAll(whole.edits, edits);
  });
}

/** A body that is no JSON, or is sent as other bytes than came. */
async function maskBytes(exchange: Answered, whole: WholeAnswer, masks: Masks): Promise<Verdict> {
  const { replacement } = whole;
  const seen: WholeAnswer = {
    ...whole,
    body: replacement ?? whole.body,
    json: replacement === undefined ? whole.json : undefined,
    edits: [],
    replacement: undefined,
  };
  const rules = new Set<string>();
  const send = (bytes: Buffer | undefined) => () => void (whole.replacement = bytes ?? replacement);
  const stream = sniffedStream({ ...exchange, answer: { ...exchange.answer, whole: seen } });
  if (stream !== undefined) {
    const rewriter = createPolicyRewriter(masks, rules);
    if (rewriter === undefined) return PASS;
    const rewritten = await rewriteWhole(seen.body, stream, rewriter);
    if ('denial' in rewritten) return rewritten.denial;
    return maskedBy(exchange, rules, send(rewritten.bytes));
  }
  // Of words that somebody spelt out, the bytes of a picture may hold some by chance.
  const isBinary = BINARY.test(readMediaType(whole.contentType).essence);
  const search = isBinary ? masks.data : masks.everywhere;
  if (search === undefined) return PASS;
  const inspected = await inspectAnswer(seen, undefined, search.findAll);
  if ('kind' in inspected) return inspected;
  addRules(rules, inspected.found);
  if (rules.size > 0) (await inspected.mask())();
  return maskedBy(exchange, rules, send(seen.replacement));
}

/** @param rules to which those are added that masked something */
export function createPolicyRewriter(masks: Masks, rules = new Set<string>()): StreamRewriter | undefined {
  const { everywhere, data, words } = masks;
  if (everywhere === undefined) return undefined;
  const search = {
    detector: everywhere.stream,
    names: data?.stream ?? FINDS_NOTHING,
    ...(words !== undefined && { namedWords: words.stream }),
  };
  return createMaskingRewriter(search, new MaskedByRules(rules));
}

const FINDS_NOTHING: StreamDetector = { find: () => [], openFrom: (text) => text.length };

/** Nothing of what rules mask cuts a stream. */
class MaskedByRules implements FindingsJudge {
  readonly #rules: Set<string>;
  #untold: string[] = [];

  constructor(rules: Set<string>) {
    this.#rules = rules;
  }

  get any(): boolean {
    return this.#rules.size > 0;
  }

  judge(found: readonly Found[]): undefined {
    for (const { finding } of found) {
      if (this.#rules.has(finding.rule)) continue;
      this.#rules.add(finding.rule);
      this.#untold.push(finding.rule);
    }
  }

  takeReason(): string | undefined {
    if (this.#untold.length === 0) return undefined;
    const reason = `masked in the answer: ${this.#untold.join(', ')}`;
    this.#untold = [];
    return reason;
  }
}

/** Names of rules, never what they matched. */
function maskedBy(exchange: Answered, rules: ReadonlySet<string>, mask: () => void): Verdict {
  return rules.size === 0 ? PASS : masking(exchange, [...rules].join(', '), mask);
}

function addRules(rules: Set<string>, found: readonly Found[]): void {
  for (const { finding } of found) rules.add(finding.rule);
}

/** A request as edits will leave it; more are added to a list of its own. */
function withEdits(exchange: Parsed, before: readonly JsonEdit[]): Parsed {
  if (before.length === 0) return { ...exchange, edits: [] };
  const json = editedView(exchange.json, before) as JsonObject;
  const texts = exchange.request.texts.flatMap((one) => textNow(one, exchange.json, json));
  return { ...exchange, json, request: { ...exchange.request, texts }, edits: [] };
}

/** A text as it stands now; nothing where its place is gone. */
function textNow(one: PromptText, before: unknown, now: unknown): PromptText[] {
  if (before === now) return [one];
  const text = valueAt(now, one.path);
  if (text === undefined || text === null) return [];
  // What came in another form is no text where it stands: nobody edits it.
  return typeof text === 'string' && valueAt(before, one.path) === one.text ? [{ ...one, text }] : [one];
}

function factsOf(facts: AnswerFacts | undefined, json: unknown): AnswerFacts | undefined {
  if (facts === undefined) return undefined;
  const now = (texts: readonly AnswerText[]): AnswerText[] =>
    texts.map((one) => ({ ...one, text: stringAt(json, one.path) ?? one.text }));
  const { joined } = facts;
  return { ...facts, texts: now(facts.texts), ...(joined !== undefined && { joined: joined.map(now) }) };
}

function stringAt(json: unknown, path: JsonPath): string | undefined {
  const value = valueAt(json, path);
  return typeof value === 'string' ? value : undefined;
}
