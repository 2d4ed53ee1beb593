import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { WholeAnswer } from '../../pipeline/exchange.ts';
import type { AnswerFacts, AnswerText } from '../../providers/provider.ts';
import { createDocumentSearch, wordsOf } from './document-search.ts';
import type { Hit } from './document-search.ts';
import type { Inspected } from './inspected.ts';
import type { FindAll } from './passages.ts';
import { createPassages } from './search-passages.ts';
import { blankedTokens, tokenChannels } from './token-channels.ts';

/**
 * Looks at all of an answer, whether the dialect knows it or not: errors, names, citations and what comes next are read
 * by clients as well.
 */
export async function inspectJson(
  whole: WholeAnswer,
  facts: AnswerFacts | undefined,
  findAll: FindAll,
): Promise<Inspected> {
  const texts = facts?.texts ?? [];
  const channels = tokenChannels(facts?.tokens ?? [], texts);
  const passages = createPassages(findAll);
  const document = createDocumentSearch({
    ...whole,
    words: wordsOf(texts),
    documents: new Set(texts.filter(({ isJson }) => isJson === true).map(({ text }) => text)),
  });
  await document.gather(passages);
  for (const channel of channels) passages.add(channel.spelled);
  await passages.search();
  return {
    found: passages.found,
    async mask() {
      const signed = signedPaths(texts);
      const hits = await document.hits(passages);
      const blanks = channels.flatMap((channel) => blankedTokens(channel, passages));
      return () => {
        for (const hit of hits) whole.edits.push(editOf(hit, signed));
        for (const edit of blanks) whole.edits.push(edit);
      };
    },
  };
}

function signedPaths(texts: readonly AnswerText[]): ReadonlySet<string> {
  return new Set(texts.filter((text) => text.signed === true).map(({ path }) => key(path)));
}

function editOf({ kind, masked, path }: Hit, signed: ReadonlySet<string>): JsonEdit {
  if (kind === 'name') return { kind: 'remove', path };
  // The provider takes a signed text back empty or as it was, never changed.
  return { kind: 'set', path, value: signed.has(key(path)) ? '' : masked };
}

function key(path: JsonPath): string {
  return JSON.stringify(path);
}
