import { addAll } from '../../add-all.ts';
import type { FindAll, StreamDetector } from '../../detectors/finding.ts';
import { editedView } from '../../json/edit-tree.ts';
import { valueAt, type JsonEdit, type JsonPath } from '../../json/path.ts';
import { readMediaType } from '../../media-type.ts';
import { PASS, type StreamRewriter, type Verdict } from '../../pipeline/check.ts';
import type { Answered, WholeAnswer } from '../../pipeline/exchange.ts';
import type { AnswerFacts, AnswerText } from '../../providers/dialect.ts';
import { findsNothing, MaskedNames, masking, type Found } from '../inspected.ts';
import { conversationPlaces, wordsAreAt } from '../conversation-places.ts';
import { createMaskingRewriter, type FindingsJudge } from '../stream/rewriter.ts';
import { BINARY, inspectAnswer } from './answer.ts';
import { inspectJson } from './json-answer.ts';
import { rewriteWhole, sniffedStream } from './sniffed-stream.ts';

export interface AnswerSearch {
  readonly stream: StreamDetector;
  readonly findAll: FindAll;
}

export interface AnswerMasks {
  readonly everywhere: AnswerSearch | undefined;
  /** The part that applies anywhere, including member names and numbers. */
  readonly data: AnswerSearch | undefined;
  /** The part whose matches may also be protocol words. */
  readonly words: AnswerSearch | undefined;
}

export async function maskAnswer(exchange: Answered, masks: AnswerMasks): Promise<Verdict> {
  const { whole } = exchange.answer;
  if (whole === undefined || masks.everywhere === undefined) return PASS;
  return whole.json === undefined || whole.replacement !== undefined
    ? maskBytes(exchange, whole, masks)
    : maskJson(exchange, whole, masks);
}

async function maskJson(
  exchange: Answered,
  whole: WholeAnswer,
  { data, words }: AnswerMasks,
): Promise<Verdict> {
  const edits: JsonEdit[] = [];
  const rules = new Set<string>();
  for (const search of [data, words]) {
    if (search === undefined) continue;
    if (search === data) {
      const nothing = findsNothing(whole, search.findAll);
      if (nothing instanceof Promise ? await nothing : nothing) continue;
    }
    const json = editedView(whole.json, [...whole.edits, ...edits]);
    const facts = factsOf(exchange.answer.facts, json);
    const looksAt = search === words ? wordsAreAt(conversationPlaces(json, facts?.texts ?? [])) : undefined;
    const view = { ...whole, json, edits: [] };
    const inspected = await inspectJson(
      view,
      facts,
      search.findAll,
      looksAt === undefined ? {} : { looksAt },
    );
    addRules(rules, inspected.found);
    if (inspected.found.length === 0) continue;
    (await inspected.mask())();
    addAll(edits, view.edits);
  }
  return maskedBy(exchange, rules, () => {
    addAll(whole.edits, edits);
  });
}

/** Masks a body that is not JSON or was replaced by an earlier check. */
async function maskBytes(exchange: Answered, whole: WholeAnswer, masks: AnswerMasks): Promise<Verdict> {
  const { replacement } = whole;
  const view: WholeAnswer = {
    ...whole,
    body: replacement ?? whole.body,
    json: replacement === undefined ? whole.json : undefined,
    edits: [],
    replacement: undefined,
  };
  const rules = new Set<string>();
  const send = (bytes: Buffer | undefined) => () => void (whole.replacement = bytes ?? replacement);
  const stream = sniffedStream({ ...exchange, answer: { ...exchange.answer, whole: view } });
  if (stream !== undefined) {
    const rewriter = createAnswerRewriter(masks, rules);
    if (rewriter === undefined) return PASS;
    const rewritten = await rewriteWhole(view.body, stream, rewriter);
    if ('denial' in rewritten) return rewritten.denial;
    return maskedBy(exchange, rules, send(rewritten.bytes));
  }
  // An image may contain words by chance.
  const isBinary = BINARY.test(readMediaType(whole.contentType).essence);
  const search = isBinary ? masks.data : masks.everywhere;
  if (search === undefined) return PASS;
  const inspected = await inspectAnswer(view, undefined, search.findAll);
  if ('kind' in inspected) return inspected;
  addRules(rules, inspected.found);
  if (rules.size > 0) (await inspected.mask())();
  return maskedBy(exchange, rules, send(view.replacement));
}

/**
 * @param rules collects the names of rules with findings
 * @param onFirst called at the first finding
 */
export function createAnswerRewriter(
  masks: AnswerMasks,
  rules = new Set<string>(),
  onFirst?: () => void,
): StreamRewriter | undefined {
  const { everywhere, data, words } = masks;
  if (everywhere === undefined) return undefined;
  const search = {
    detector: everywhere.stream,
    names: data?.stream ?? FINDS_NOTHING,
    ...(words !== undefined && { namedWords: words.stream }),
  };
  return createMaskingRewriter(search, new MaskedByRules(rules, onFirst));
}

const FINDS_NOTHING: StreamDetector = { find: () => [], openFrom: (text) => text.length };

/** Masks all findings and never cuts the stream. */
class MaskedByRules extends MaskedNames implements FindingsJudge {
  readonly #onFirst: (() => void) | undefined;

  constructor(rules: Set<string>, onFirst: (() => void) | undefined) {
    super(rules);
    this.#onFirst = onFirst;
  }

  judge(found: readonly Found[]): undefined {
    for (const { finding } of found) {
      if (!this.any) this.#onFirst?.();
      this.add(finding.rule);
    }
  }
}

function maskedBy(exchange: Answered, rules: ReadonlySet<string>, mask: () => void): Verdict {
  return rules.size === 0 ? PASS : masking(exchange, [...rules].join(', '), mask);
}

function addRules(rules: Set<string>, found: readonly Found[]): void {
  for (const { finding } of found) rules.add(finding.rule);
}

function factsOf(facts: AnswerFacts | undefined, json: unknown): AnswerFacts | undefined {
  if (facts === undefined) return undefined;
  const now = (texts: readonly AnswerText[]): AnswerText[] =>
    texts.map((part) => ({ ...part, text: stringAt(json, part.path) ?? part.text }));
  const { joined } = facts;
  return { ...facts, texts: now(facts.texts), ...(joined !== undefined && { joined: joined.map(now) }) };
}

function stringAt(json: unknown, path: JsonPath): string | undefined {
  const value = valueAt(json, path);
  return typeof value === 'string' ? value : undefined;
}
