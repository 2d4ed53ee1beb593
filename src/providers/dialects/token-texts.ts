import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { JsonObject, TokenText } from '../provider.ts';
import { arrayOf, objectOf } from './fields.ts';
import { saysOther, spelledBytes } from './token-bytes.ts';
import type { TokenBytes } from './token-bytes.ts';

const MASK = '***';

/**
 * Tokens with their probabilities as a list of objects, OpenAI's form and Ollama's: `{token, logprob, bytes,
 * top_logprobs}`, and llama.cpp's, with the token's `id`. `path` is the list's own.
 */
export function listedTokens(list: unknown, path: JsonPath, channel: string): TokenText[] {
  const alternatives: TokenText[] = [];
  const listed = arrayOf(list).flatMap((value, index): TokenBytes[] => {
    const item = objectOf(value);
    if (typeof item.token !== 'string') return [];
    const at = [...path, index];
    const blank = [
      set([...at, 'token'], MASK),
      ...setWhere(item, 'bytes', at, null),
      ...setWhere(item, 'id', at, 0),
      ...setWhere(item, 'top_logprobs', at, []),
    ];
    for (const [nth, text] of alternativeBytes(item.top_logprobs).entries()) {
      alternatives.push({ channel: `${channel}/bytes/${index}/${nth}`, text, blank });
    }
    return [{ token: { channel, text: item.token, blank }, bytes: item.bytes }];
  });
  return [...listed.map(({ token }) => token), ...spelledBytes(listed), ...alternatives];
}

/** Nothing that is looked for is shorter. */
const MIN_FOUND_BYTES = 6;

/** What the bytes of tokens that could have been chosen say, where those tokens say something else. */
function alternativeBytes(list: unknown): string[] {
  return arrayOf(list).flatMap((value) => {
    const { token, bytes } = objectOf(value);
    const isLong = typeof token === 'string' && arrayOf(bytes).length >= MIN_FOUND_BYTES;
    return isLong && saysOther(token, bytes) ? [Buffer.from(arrayOf(bytes).map(Number)).toString()] : [];
  });
}

/** Tokens as lists side by side: completions' `{tokens, token_logprobs, top_logprobs, text_offset}`, and Together's. */
export function parallelTokens(lists: JsonObject, path: JsonPath, channel: string): TokenText[] {
  const alternatives = arrayOf(lists.top_logprobs);
  const ids = arrayOf(lists.token_ids);
  return arrayOf(lists.tokens).flatMap((text, index) => {
    if (typeof text !== 'string') return [];
    const blank = [
      set([...path, 'tokens', index], MASK),
      ...(alternatives[index] == null ? [] : [set([...path, 'top_logprobs', index], {})]),
      ...(ids[index] === undefined ? [] : [set([...path, 'token_ids', index], 0)]),
    ];
    return [{ channel, text, blank }];
  });
}

/** Gemini's `logprobsResult`: the tokens that were chosen, and beside them those that could have been. */
export function chosenTokens(result: JsonObject, path: JsonPath, channel: string): TokenText[] {
  const alternatives = arrayOf(result.topCandidates);
  return arrayOf(result.chosenCandidates).flatMap((value, index) => {
    const chosen = objectOf(value);
    if (typeof chosen.token !== 'string') return [];
    const at = [...path, 'chosenCandidates', index];
    const blank = [
      set([...at, 'token'], MASK),
      ...setWhere(chosen, 'tokenId', at, 0),
      ...setWhere(objectOf(alternatives[index]), 'candidates', [...path, 'topCandidates', index], []),
    ];
    return [{ channel, text: chosen.token, blank }];
  });
}

/** One of Cohere's pieces: the text of several tokens, and their ids. */
export function pieceTokens(value: unknown, path: JsonPath, channel: string): TokenText[] {
  const piece = objectOf(value);
  if (typeof piece.text !== 'string') return [];
  const blank = [set([...path, 'text'], MASK), ...setWhere(piece, 'token_ids', path, [])];
  return [{ channel, text: piece.text, blank }];
}

/** As a member of a reader's event or an answer's facts: absent where there are none. */
export function tokensMember(tokens: readonly TokenText[]): { readonly tokens?: readonly TokenText[] } {
  return tokens.length === 0 ? {} : { tokens };
}

function set(path: JsonPath, value: unknown): JsonEdit {
  return { kind: 'set', path, value };
}

/** Only where the member is there: an edit would add it. */
function setWhere(object: JsonObject, name: string, path: JsonPath, value: unknown): JsonEdit[] {
  return object[name] == null ? [] : [set([...path, name], value)];
}
