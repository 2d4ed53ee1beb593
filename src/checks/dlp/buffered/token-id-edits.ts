import type { JsonEdit, JsonPath } from '../../../json/path.ts';
import { emptied, isTokenId, isTokenIdList, isWrittenId, repeatsText } from '../token-ids.ts';
import { visitDocument } from './document.ts';

/**
 * What empties every list of token ids of an answer in which something was masked: none can be told from the others.
 * @param knowsBytes the dialect reads the answer's tokens, and blanks the bytes beside them
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
  await visitDocument(json, {
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
