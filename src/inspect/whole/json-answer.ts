import { addAll } from '../../add-all.ts';
import type { FindAll } from '../../detectors/finding.ts';
import { shapeInSteps } from '../../json/document-shape.ts';
import { isParseable } from '../../json/parse-in-pieces.ts';
import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { WholeAnswer } from '../../pipeline/exchange.ts';
import type { AnswerFacts, AnswerText, TokenText } from '../../providers/dialect.ts';
import { DocumentSearch, pathKey, Words, type WordsPlace } from './document-search.ts';
import type { Inspected } from '../inspected.ts';
import { findInJoined, joinTexts, maskShared, type MemberFindings } from './joined-text.ts';
import type { Joined } from '../offset-map.ts';
import { createScanBatch, type ScanBatch } from '../scan/scan-batch.ts';
import { TextMap } from '../../text/text-map.ts';
import { after, ITEM_CHARS, inTurns, type Awaitable, type Work } from '../../turns.ts';
import { tokenIdEdits } from '../token-ids.ts';

export interface AnswerScope {
  /** Skips tool arguments known to the dialect. */
  readonly passesArguments?: boolean;
  readonly looksAt?: (place: WordsPlace) => boolean;
}

/** Searches a whole answer, including members unknown to the dialect: clients also read errors, names and citations. */
export function inspectJson(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  findAll: FindAll,
  scope: AnswerScope,
): Awaitable<Inspected> {
  const batch = createScanBatch(findAll, 'answer');
  return after(inTurns(gathered(whole, facts, batch, scope)), (searched) =>
    after(batch.search(), () => ({
      found: batch.found,
      ...(batch.found.length === 0 && { searched: batch.searched }),
      mask: async () => inTurns(maskEdits(whole, batch, searched)),
    })),
  );
}

interface Gathered {
  readonly document: DocumentSearch;
  readonly joined: readonly Joined<AnswerText>[];
  readonly tokens: NonNullable<AnswerFacts['tokens']>;
  /** Places of signed texts, by `pathKey`. */
  readonly signed: ReadonlySet<string>;
}

function* gathered(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  batch: ScanBatch,
  { passesArguments = false, looksAt }: AnswerScope,
): Work<Gathered> {
  const { words, passed, signed } = yield* batchedTexts(facts?.texts ?? [], passesArguments);
  const document = new DocumentSearch({
    ...whole,
    words,
    unsearched: passed,
    ...(looksAt !== undefined && { looksAt }),
    side: 'answer',
  });
  yield* document.gather(batch);
  const joined: Joined<AnswerText>[] = [];
  for (const texts of facts?.joined ?? []) joined.push(yield* joinTexts(texts, batch));
  const tokens = facts?.tokens ?? [];
  yield* addSpelled(tokens, batch);
  return { document, joined, tokens, signed };
}

function* maskEdits(
  whole: WholeAnswer,
  batch: ScanBatch,
  { document, joined, tokens, signed }: Gathered,
): Work<() => void> {
  batch.assertMaskable();
  const places = yield* document.places(batch);
  const members: MemberFindings[] = [];
  for (const texts of joined) addAll(members, yield* findInJoined(texts, batch));
  const ids = yield* tokenIdEdits(whole.json, tokens.length > 0);
  return () => {
    // Later edits win: those of a joined text over those of its parts, those of a name over those of its value.
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

interface Texts {
  readonly words: Words;
  /** Places of skipped texts, by `pathKey`. */
  readonly passed: ReadonlySet<string>;
  readonly signed: ReadonlySet<string>;
}

function* batchedTexts(all: readonly AnswerText[], passesArguments: boolean): Work<Texts> {
  const words = new Words();
  const passed = new Set<string>();
  const signed = new Set<string>();
  for (const text of all) {
    yield ITEM_CHARS;
    if (passesArguments && text.kind === 'tool_arguments') {
      passed.add(pathKey(text.path));
      continue;
    }
    if (text.signed === true) signed.add(pathKey(text.path));
    if (text.editable === false) continue;
    const isJson = text.isJson === true || (text.kind === 'text' && (yield* isDocument(text.text)));
    words.set(text.text, isJson ? 'document' : text.kind === 'tool_arguments' ? 'value' : 'prose');
  }
  return { words, passed, signed };
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

/** Adds the texts that the tokens of each channel spell. */
function* addSpelled(tokens: readonly TokenText[], batch: ScanBatch): Work<void> {
  const byChannel = new TextMap<string[]>();
  const all: string[][] = [];
  for (const { channel, text } of tokens) {
    const known = byChannel.get(channel);
    if (known !== undefined) known.push(text);
    else {
      const first = [text];
      byChannel.set(channel, first);
      all.push(first);
    }
    yield ITEM_CHARS;
  }
  for (const texts of all) {
    batch.addProse(texts.join(''));
    yield texts.length * ITEM_CHARS;
  }
}

/** Providers accept signed text only unchanged or empty. */
function setText(path: JsonPath, masked: string, signed: ReadonlySet<string>): JsonEdit {
  return { kind: 'set', path, value: signed.has(pathKey(path)) ? '' : masked };
}
