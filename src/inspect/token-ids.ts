import type { JsonEdit, JsonPath } from '../json/path.ts';
import { visitDocument } from './whole/document-search.ts';
import { inTurns } from '../turns.ts';

/** Arrays that repeat a text as token ids (vLLM, Ollama) or bytes, from which clients could recover masked text. */
const LISTS =
  /^(?:.{0,40}token_?ids?|context|tokens|bytes|(?:input|output|prompt|completion|generated|text)_?ids|ids)$/i;
const TOKEN_ID = /token_?id$/i;
/** Members that repeat the whole text, with token ids as names or beside strings (Fireworks, vLLM). */
const REPEATS = /^(?:raw_?output|prompt_?logprobs)$/i;
const WRITTEN_ID = /^(?:token_id:)?\d{1,9}$/;

export function isTokenIdList(name: string | undefined, value: readonly unknown[]): boolean {
  if (name === undefined || !LISTS.test(name)) return false;
  const [first] = value;
  if (Array.isArray(first)) return isTokenIdList(name, first);
  return typeof first === 'number' || (typeof first === 'string' && isWrittenId(name, first));
}

export function isTokenId(name: string): boolean {
  return TOKEN_ID.test(name);
}

function isWrittenId(name: string, value: string): boolean {
  return TOKEN_ID.test(name.replace(/s$/i, '')) && WRITTEN_ID.test(value);
}

export function repeatsText(name: string): boolean {
  return REPEATS.test(name);
}

/** Returns the edit that clears token ids. Arrays become empty, numbers become 0, and other values null. */
export function emptied(path: JsonPath, value: unknown): JsonEdit {
  if (Array.isArray(value)) return { kind: 'set', path, value: [] };
  return { kind: 'set', path, value: typeof value === 'number' ? 0 : null };
}

/**
 * Returns edits that clear all token ids, because the ids of masked text cannot be identified.
 * @param knowsBytes whether the dialect itself clears the `bytes` of tokens
 */
export async function tokenIdEdits(json: unknown, knowsBytes: boolean): Promise<readonly JsonEdit[]> {
  const edits: JsonEdit[] = [];
  const repeats: JsonEdit[] = [];
  let last: JsonPath = [];
  function emptyList(path: JsonPath): void {
    const list = path.slice(0, path.findLastIndex((step) => typeof step === 'string') + 1);
    if (list.length === last.length && list.every((step, at) => step === last[at])) return;
    last = list;
    edits.push(emptied(list, []));
  }
  const visits = visitDocument(json, {
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
  await inTurns(visits);
  // Later edits win, so edits of enclosing values come last.
  return [...edits, ...repeats];
}
