import { shapeInSteps } from '../../../json/document-shape.ts';
import type { JsonEdit, JsonPath } from '../../../json/path.ts';
import type { WholeAnswer } from '../../../pipeline/exchange.ts';
import type { AnswerFacts, AnswerText } from '../../../providers/provider.ts';
import { createDocumentSearch, pathKey } from './document-search.ts';
import type { Place, WordsKind } from './document-search.ts';
import type { Inspected } from '../inspected.ts';
import { createJoinedText, maskShared } from './joined-text.ts';
import { assertMaskable } from '../masked-places.ts';
import type { FindAll } from '../passages.ts';
import { createPassages } from './search-passages.ts';
import { inTurns } from '../../../turns.ts';
import type { Work } from '../../../turns.ts';
import { tokenIdEdits } from './token-id-edits.ts';
import { blankedTokens, tokenChannels } from './token-channels.ts';

/** What of an answer is looked at: all unless told. */
export interface AnswerScope {
  /** Arguments of tools that the dialect knows for them are left alone. */
  readonly passesArguments?: boolean;
  readonly looksAt?: (place: Place) => boolean;
}

/**
 * Looks at all of an answer, whether the dialect knows it or not: errors, names, citations and what comes next are read
 * by clients as well.
 */
export async function inspectJson(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  findAll: FindAll,
  { passesArguments = false, looksAt }: AnswerScope,
): Promise<Inspected> {
  const isPassed = ({ kind }: AnswerText): boolean => passesArguments && kind === 'tool_arguments';
  const [passed, texts] = partition(facts?.texts ?? [], isPassed);
  const passages = createPassages(findAll, 'answer');
  const words = await inTurns(wordsOf(texts));
  const document = createDocumentSearch({
    ...whole,
    words,
    unsearched: pathsOf(passed),
    ...(looksAt !== undefined && { looksAt }),
    side: 'answer',
  });
  await document.gather(passages);
  const joined = (facts?.joined ?? []).map((together) => createJoinedText(together, passages));
  const channels = tokenChannels(facts?.tokens ?? [], texts, joined);
  for (const { spelled, spelt } of channels) {
    for (const text of [spelled, ...spelt.map((one) => one.text)]) passages.addProse(text);
  }
  await passages.search();
  return {
    found: passages.found,
    async mask() {
      assertMaskable(passages, 'answer');
      const signed = pathsOf(texts.filter((text) => text.signed === true));
      const hits = await document.hits(passages);
      const members = joined.flatMap((one) => [...one.members().values()]);
      const blanks = channels.flatMap((channel) => blankedTokens(channel, passages));
      const ids = await tokenIdEdits(whole.json, channels.length > 0);
      return () => {
        // Of two edits of one place the later holds: what a text shares over its own, a name's over its value's.
        for (const hit of hits) {
          if (hit.kind !== 'name') whole.edits.push(setText(hit.path, hit.masked, signed));
        }
        for (const member of members) {
          const shared = maskShared(member, passages);
          if (shared !== undefined) whole.edits.push(setText(member.of.path, shared, signed));
        }
        for (const edit of [...ids, ...blanks]) whole.edits.push(edit);
        for (const { kind, path } of hits) if (kind === 'name') whole.edits.push({ kind: 'remove', path });
      };
    },
  };
}

function* wordsOf(texts: readonly AnswerText[]): Work<ReadonlyMap<string, WordsKind>> {
  const words = new Map<string, WordsKind>();
  for (const one of texts) {
    if (one.editable !== false) words.set(one.text, yield* kindOf(one));
  }
  return words;
}

function* kindOf({ kind, text, isJson }: AnswerText): Work<WordsKind> {
  if (isJson === true || (kind === 'text' && (yield* isDocument(text)))) return 'document';
  return kind === 'tool_arguments' ? 'value' : 'prose';
}

/** Structured output: a text that is JSON, and is to stay so. */
function* isDocument(text: string): Work<boolean> {
  if (!/^\s*[[{]/.test(text)) return false;
  const shape = shapeInSteps(text);
  let step = shape.next();
  for (; step.done !== true; step = shape.next()) yield;
  if (step.value.isTooDeep || step.value.isTooLarge) return false;
  yield text.length;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Prose that begins with a bracket.
    return false;
  }
}

function partition(
  texts: readonly AnswerText[],
  isFirst: (text: AnswerText) => boolean,
): [AnswerText[], AnswerText[]] {
  return [texts.filter(isFirst), texts.filter((text) => !isFirst(text))];
}

function pathsOf(texts: readonly AnswerText[]): ReadonlySet<string> {
  return new Set(texts.map(({ path }) => pathKey(path)));
}

/** The provider takes a signed text back empty or as it was, never changed. */
function setText(path: JsonPath, masked: string, signed: ReadonlySet<string>): JsonEdit {
  return { kind: 'set', path, value: signed.has(pathKey(path)) ? '' : masked };
}
