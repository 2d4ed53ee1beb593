import { addAll } from '../../add-all.ts';
import { mask } from '../../detectors/mask.ts';
import type { FindAll } from '../../detectors/finding.ts';
import { shapeInSteps } from '../../json/document-shape.ts';
import { isParseable } from '../../json/parse-in-pieces.ts';
import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { WholeAnswer } from '../../pipeline/exchange.ts';
import type { AnswerFacts, AnswerText, TokenText } from '../../providers/dialect.ts';
import { MASK } from '../../text/mask.ts';
import type { Span } from '../../text/span.ts';
import {
  after,
  each,
  ITEM_CHARS,
  inTurns,
  isTurnOver,
  nextTurn,
  type Awaitable,
  type Work,
} from '../../turns.ts';
import type { Inspected } from '../inspected.ts';
import { Joined, type Part } from '../offset-map.ts';
import { ScanBatch } from '../scan/scan-batch.ts';
import { TextMap } from '../../text/text-map.ts';
import { tokenIdEdits } from '../token-ids.ts';
import { DocumentSearch, pathKey, Words, type WordsPlace } from './document-search.ts';

export interface AnswerScope {
  /** Skips tool arguments known to the dialect. */
  readonly passesArguments?: boolean;
  readonly looksAt?: (place: WordsPlace) => boolean;
}

/** Searches a whole answer, including unknown members, because clients also read errors, names and citations. */
export function inspectJson(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  findAll: FindAll,
  scope: AnswerScope,
): Awaitable<Inspected> {
  const batch = new ScanBatch(findAll, 'answer');
  return after(inTurns(gathered(whole, facts, batch, scope)), (searched) =>
    after(batch.search(), () => ({
      found: batch.found,
      ...(batch.found.length === 0 && { searched: batch.searched }),
      mask: () => maskEdits(whole, batch, searched),
    })),
  );
}

interface Gathered {
  readonly document: DocumentSearch;
  readonly joined: readonly Joined<AnswerText>[];
  readonly tokens: NonNullable<AnswerFacts['tokens']>;
  readonly signed: ReadonlySet<string>;
}

function* gathered(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  batch: ScanBatch,
  { passesArguments = false, looksAt }: AnswerScope,
): Work<Gathered> {
  const words = new Words();
  const unsearched = new Set<string>();
  const signed = new Set<string>();
  for (const text of facts?.texts ?? []) {
    yield ITEM_CHARS;
    if (passesArguments && text.kind === 'tool_arguments') {
      unsearched.add(pathKey(text.path));
      continue;
    }
    if (text.signed === true) signed.add(pathKey(text.path));
    if (text.editable === false) continue;
    const isJson = text.isJson === true || (text.kind === 'text' && (yield* isDocument(text.text)));
    words.set(text.text, isJson ? 'document' : text.kind === 'tool_arguments' ? 'value' : 'prose');
  }
  const scope = looksAt === undefined ? {} : { looksAt };
  const document = new DocumentSearch({ ...whole, ...scope, words, unsearched, side: 'answer' });
  yield* document.gather(batch);
  const joined: Joined<AnswerText>[] = [];
  for (const texts of facts?.joined ?? []) joined.push(yield* joinTexts(texts, batch));
  const tokens = facts?.tokens ?? [];
  yield* addSpelled(tokens, batch);
  return { document, joined, tokens, signed };
}

/** Reports whether a text is structured output, which must stay valid JSON. */
function* isDocument(text: string): Work<boolean> {
  if (!/^\s*[[{]/.test(text)) return false;
  const { isTooDeep, isTooLarge } = yield* shapeInSteps(text);
  if (isTooDeep || isTooLarge) return false;
  yield text.length;
  // Prose may also begin with a bracket.
  return yield* isParseable(text);
}

/** Joins texts, as some clients do. Adds each text and the joined text to the batch. */
function* joinTexts(texts: readonly AnswerText[], batch: ScanBatch): Work<Joined<AnswerText>> {
  const joined = new Joined<AnswerText>();
  yield* each(texts, (text) => {
    batch.addProse(text.text);
    joined.add(text, text.text);
  });
  batch.addProse(joined.text);
  return joined;
}

function* addSpelled(tokens: readonly TokenText[], batch: ScanBatch): Work<void> {
  const byChannel = new TextMap<string[]>();
  const all: string[][] = [];
  yield* each(tokens, ({ channel, text }) => {
    const known = byChannel.get(channel);
    if (known !== undefined) known.push(text);
    else {
      const first = [text];
      byChannel.set(channel, first);
      all.push(first);
    }
  });
  yield* each(
    all,
    (texts) => {
      batch.addProse(texts.join(''));
    },
    ({ length }) => length * ITEM_CHARS,
  );
}

async function maskEdits(
  whole: WholeAnswer,
  batch: ScanBatch,
  { document, joined, tokens, signed }: Gathered,
): Promise<() => void> {
  batch.assertMaskable();
  const places = await document.places(batch);
  const members: MemberFindings[] = [];
  for (const texts of joined) addAll(members, await findInJoined(texts, batch));
  const ids = await tokenIdEdits(whole.json, tokens.length > 0);
  return () => {
    // Later edits win: joined texts override their parts, and names override their values.
    for (const place of places) {
      if (place.kind !== 'name') whole.edits.push(setText(place.path, place.masked, signed));
    }
    for (const member of members) {
      const shared = maskShared(member, batch);
      if (shared !== undefined) whole.edits.push(setText(member.source.path, shared, signed));
    }
    addAll(whole.edits, ids);
    for (const { blank } of tokens) whole.edits.push(...blank);
    for (const { kind, path } of places) if (kind === 'name') whole.edits.push({ kind: 'remove', path });
  };
}

/** Providers accept signed text only unchanged or empty. */
function setText(path: JsonPath, masked: string, signed: ReadonlySet<string>): JsonEdit {
  return { kind: 'set', path, value: signed.has(pathKey(path)) ? '' : masked };
}

/** Findings in a text alone, and joined with its neighbours. */
interface MemberFindings {
  readonly source: AnswerText;
  readonly spans: Span[];
  /** Whether the first span began in an earlier text. */
  readonly isContinued: boolean;
  /** Whether the last span continues in a later text. */
  continues: boolean;
}

async function findInJoined(joined: Joined<AnswerText>, batch: ScanBatch): Promise<Iterable<MemberFindings>> {
  const all = [...batch.spansIn(joined.text)];
  const addOwn = each(joined.parts, ({ source, start: from }) => {
    for (const { start, end } of batch.spansIn(source.text)) {
      all.push({ start: from + start, end: from + end });
    }
  });
  await inTurns(addOwn);
  // Fast, because `all` consists of two sorted runs, which `sort` merges.
  await nextTurn();
  all.sort((a, b) => a.start - b.start);
  const merged: Span[] = [];
  const mergeAll = each(all, ({ start, end }) => {
    const last = merged.at(-1);
    if (last === undefined || start >= last.end) merged.push({ start, end });
    else if (end > last.end) merged[merged.length - 1] = { start: last.start, end };
  });
  await inTurns(mergeAll);
  const found = new Map<AnswerText, MemberFindings>();
  for (const span of merged) {
    const parts = joined.partsWithin(span);
    for (const part of parts) addSpan(found, part, span);
    if (isTurnOver((1 + parts.length) * ITEM_CHARS)) await nextTurn();
  }
  return found.values();
}

function addSpan(
  found: Map<AnswerText, MemberFindings>,
  { source, start, end }: Part<AnswerText>,
  whole: Span,
): void {
  const isContinued = whole.start < start;
  const member = found.get(source) ?? { source, spans: [], isContinued, continues: false };
  found.set(source, member);
  member.spans.push({ start: Math.max(0, whole.start - start), end: Math.min(end, whole.end) - start });
  member.continues = whole.end > end;
}

/**
 * Masks the findings that a text shares with its neighbours. Returns undefined if searching the text alone gave the
 * same result. Each finding gets one mask, in the text where it begins. A text that would become empty is replaced by a
 * mask, because providers reject empty texts in the next turn.
 */
function maskShared(member: MemberFindings, batch: ScanBatch): string | undefined {
  const { source, spans, isContinued, continues } = member;
  const masked = mask(source.text, spans);
  const isAlone = !isContinued && !continues;
  if (isAlone && masked === mask(source.text, batch.spansIn(source.text))) return undefined;
  const left = isContinued ? masked.slice(MASK.length) : masked;
  return left === '' ? MASK : left;
}
