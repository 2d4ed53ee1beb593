import type { Finding } from '../../../detectors/finding.ts';
import type { Parsed } from '../../../pipeline/exchange.ts';
import { createDocumentSearch, Words } from '../buffered/document-search.ts';
import type { Place, WordsKind } from '../buffered/document-search.ts';
import type { PromptText } from '../../../providers/provider.ts';
import { CLEAN } from '../inspected.ts';
import type { Inspected } from '../inspected.ts';
import { assertMaskable } from '../masked-places.ts';
import type { FindAll } from '../scan-batch.ts';
import { createScanBatch } from '../buffered/search-batch.ts';
import { ITEM_CHARS, inTurns } from '../../../turns.ts';
import type { Work } from '../../../turns.ts';
import { immutableFieldsOf } from './immutable-fields.ts';

export interface InspectedRequest extends Inspected {
  /** Those that no edit can take out. */
  readonly unmaskable: readonly Finding[];
}

/**
 * Looks at all of a request: messages of every role, tools and their results, and members that no dialect knows. What
 * comes again with the next turn is masked alike again. Headers that repeat arguments follow the body at the edge.
 * @param looksAt which places of the body are looked at; all unless told
 */
export async function inspectRequest(
  exchange: Parsed,
  findAll: FindAll,
  looksAt?: (place: Place) => boolean,
): Promise<InspectedRequest> {
  const seals = await inTurns(immutableFieldsOf(exchange));
  const batch = createScanBatch(findAll, 'request');
  const document = createDocumentSearch({
    ...exchange,
    words: await inTurns(wordsOf(exchange.request.texts)),
    ...(looksAt !== undefined && { looksAt }),
    side: 'request',
  });
  await document.gather(batch);
  for (const text of seals.encoded) batch.add(text);
  await batch.search();
  if (batch.found.length === 0) return { ...CLEAN, unmaskable: [] };

  assertMaskable(batch, 'request');
  const hits = await document.hits(batch);
  const sealed = hits.filter(({ kind, path }) => kind === 'name' || seals.has(path));
  return {
    found: batch.found,
    unmaskable: [
      ...sealed.flatMap(({ findings }) => findings),
      ...seals.encoded.flatMap((text) => batch.findingsIn(text)),
    ],
    mask: () =>
      Promise.resolve(() => {
        for (const { path, masked } of hits) exchange.edits.push({ kind: 'set', path, value: masked });
      }),
  };
}

function* wordsOf(texts: readonly PromptText[]): Work<Words> {
  const words = new Words();
  for (const one of texts) {
    if (one.editable !== false) words.set(one.text, kindOf(one));
    yield ITEM_CHARS;
  }
  return words;
}

const PROSE: ReadonlySet<PromptText['kind']> = new Set(['text', 'reasoning']);

/** A tool call's arguments are a JSON document in a string, in most dialects. */
function kindOf({ kind, text }: PromptText): WordsKind {
  if (PROSE.has(kind)) return 'prose';
  return kind === 'tool_arguments' && /^\s*[[{]/.test(text) ? 'document' : 'value';
}
