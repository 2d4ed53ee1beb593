import type { JsonEdit, JsonPath } from '../json/path.ts';
import { visitDocument } from './whole/document-search.ts';
import type { Work } from '../turns.ts';

/**
 * Lists in which servers say a text once more, in numbers of a model's vocabulary or in bytes: vLLM's `token_ids`,
 * Ollama's `context`. Whoever has the vocabulary reads in them what was masked in the text.
 */
const LISTS =
  /^(?:.{0,40}token_?ids?|context|tokens|bytes|(?:input|output|prompt|completion|generated|text)_?ids|ids)$/i;
/** One such number by itself. */
const ONE = /token_?id$/i;
/** What repeats the text whole, with its ids as names or beside strings (Fireworks, vLLM). */
const REPEATS = /^(?:raw_?output|prompt_?logprobs)$/i;
const WRITTEN_ID = /^(?:token_id:)?\d{1,9}$/;

export function isTokenIdList(name: string | undefined, value: readonly unknown[]): boolean {
  if (name === undefined || !LISTS.test(name)) return false;
  const [first] = value;
  if (Array.isArray(first)) return isTokenIdList(name, first);
  return typeof first === 'number' || (typeof first === 'string' && isWrittenId(name, first));
}

export function isTokenId(name: string): boolean {
  return ONE.test(name);
}

/** Of a string in a list: an id that is written as one. */
function isWrittenId(name: string, value: string): boolean {
  return ONE.test(name.replace(/s$/i, '')) && WRITTEN_ID.test(value);
}

export function repeatsText(name: string): boolean {
  return REPEATS.test(name);
}

/** What leaves nothing of the ids at a place; clients that want a list, or a number, still get one. */
export function emptied(path: JsonPath, value: unknown): JsonEdit {
  if (Array.isArray(value)) return { kind: 'set', path, value: [] };
  return { kind: 'set', path, value: typeof value === 'number' ? 0 : null };
}

/**
 * What empties every list of token ids of an answer in which something was masked: none can be told from the others.
 * @param knowsBytes the dialect reads the answer's tokens, and blanks the bytes beside them
 */
export function* tokenIdEdits(json: unknown, knowsBytes: boolean): Work<readonly JsonEdit[]> {
  const edits: JsonEdit[] = [];
  const repeats: JsonEdit[] = [];
  let last: JsonPath = [];
  function emptyList(path: JsonPath): void {
    const list = path.slice(0, path.findLastIndex((step) => typeof step === 'string') + 1);
    if (list.length === last.length && list.every((step, at) => step === last[at])) return;
    last = list;
    edits.push(emptied(list, []));
  }
  yield* visitDocument(json, {
    number(value, name, path) {
      if (name === undefined || (knowsBytes && name === 'bytes')) return;
      if (typeof path.at(-1) === 'string') {
        if (isTokenId(name)) edits.push(emptied([...path], value));
      } else if (isTokenIdList(name, [value])) emptyList(path);
    },
    string(text, name, path) {
      if (name !== undefined && typeof path.at(-1) === 'number' && isWrittenId(name, text)) emptyList(path);
    },
    memberName(name, path) {
      if (repeatsText(name)) repeats.push(emptied([...path], undefined));
    },
  });
  // A later edit of what is around them holds.
  return [...edits, ...repeats];
}
