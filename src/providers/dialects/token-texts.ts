import { addAll } from '../../add-all.ts';
import { MASK } from '../../text/mask.ts';
import type { JsonEdit, JsonPath } from '../../json/path.ts';
import { ITEM_CHARS, type Work } from '../../turns.ts';
import type { TokenText } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { arrayOf, objectOf } from './fields.ts';

/**
 * Adds tokens listed as objects with probabilities: OpenAI's and Ollama's `{token, logprob, bytes, top_logprobs}`,
 * and llama.cpp's, which adds the token's `id`. `path` is the path of the list.
 */
export function* addListedTokens(
  into: TokenText[],
  list: unknown,
  path: JsonPath,
  channel: string,
): Work<void> {
  const listed: TokenBytes[] = [];
  const alternatives: TokenText[] = [];
  for (const [index, value] of arrayOf(list).entries()) {
    yield ITEM_CHARS;
    const item = objectOf(value);
    if (typeof item.token !== 'string') continue;
    const at = [...path, index];
    const blank = [
      set([...at, 'token'], MASK),
      ...setWhere(item, 'bytes', at, null),
      ...setWhere(item, 'id', at, 0),
      ...setWhere(item, 'top_logprobs', at, []),
    ];
    const token = { channel, text: item.token, blank };
    into.push(token);
    listed.push({ token, bytes: item.bytes });
    let nth = 0;
    for (const other of arrayOf(item.top_logprobs)) {
      yield ITEM_CHARS;
      const text = alternativeText(other);
      if (text === undefined) continue;
      alternatives.push({ channel: `${channel}/bytes/${index}/${nth}`, text, blank });
      nth += 1;
    }
  }
  yield* addSpelledBytes(into, listed);
  addAll(into, alternatives);
}

/** No finding is shorter than this. */
const MIN_FOUND_BYTES = 6;

/** Returns the text in the bytes of an alternative token, if it differs from the token itself. */
function alternativeText(value: unknown): string | undefined {
  const { token, bytes } = objectOf(value);
  const isLong = typeof token === 'string' && arrayOf(bytes).length >= MIN_FOUND_BYTES;
  return isLong && differs(token, bytes) ? Buffer.from(arrayOf(bytes).map(Number)).toString() : undefined;
}

/** Adds tokens in parallel lists: `{tokens, token_logprobs, top_logprobs, text_offset}`, or Together's. */
export function* addParallelTokens(
  into: TokenText[],
  lists: JsonObject,
  path: JsonPath,
  channel: string,
): Work<void> {
  const alternatives = arrayOf(lists.top_logprobs);
  const ids = arrayOf(lists.token_ids);
  for (const [index, text] of arrayOf(lists.tokens).entries()) {
    yield ITEM_CHARS;
    if (typeof text !== 'string') continue;
    const blank = [
      set([...path, 'tokens', index], MASK),
      ...(alternatives[index] == null ? [] : [set([...path, 'top_logprobs', index], {})]),
      ...(ids[index] === undefined ? [] : [set([...path, 'token_ids', index], 0)]),
    ];
    into.push({ channel, text, blank });
  }
}

/** Adds Gemini's `logprobsResult`: chosen tokens and their alternatives. */
export function* addChosenTokens(
  into: TokenText[],
  result: JsonObject,
  path: JsonPath,
  channel: string,
): Work<void> {
  const alternatives = arrayOf(result.topCandidates);
  for (const [index, value] of arrayOf(result.chosenCandidates).entries()) {
    yield ITEM_CHARS;
    const chosen = objectOf(value);
    if (typeof chosen.token !== 'string') continue;
    const at = [...path, 'chosenCandidates', index];
    const blank = [
      set([...at, 'token'], MASK),
      ...setWhere(chosen, 'tokenId', at, 0),
      ...setWhere(objectOf(alternatives[index]), 'candidates', [...path, 'topCandidates', index], []),
    ];
    into.push({ channel, text: chosen.token, blank });
  }
}

/** Reads one of Cohere's pieces: the text of several tokens with their ids. */
export function pieceTokens(value: unknown, path: JsonPath, channel: string): TokenText[] {
  const piece = objectOf(value);
  if (typeof piece.text !== 'string') return [];
  const blank = [set([...path, 'text'], MASK), ...setWhere(piece, 'token_ids', path, [])];
  return [{ channel, text: piece.text, blank }];
}

/** Wraps tokens as an optional member of event or answer facts. */
export function tokensMember(tokens: readonly TokenText[]): { readonly tokens?: readonly TokenText[] } {
  return tokens.length === 0 ? {} : { tokens };
}

function set(path: JsonPath, value: unknown): JsonEdit {
  return { kind: 'set', path, value };
}

/** Edits only existing members: an edit would add a missing one. */
function setWhere(object: JsonObject, name: string, path: JsonPath, value: unknown): JsonEdit[] {
  return object[name] == null ? [] : [set([...path, name], value)];
}

/** A listed token and its `bytes`: the UTF-8 of its text, or of part of a character. */
interface TokenBytes {
  readonly token: TokenText;
  readonly bytes: unknown;
}

/**
 * Adds the text spelled by the bytes of the list, on a channel of its own, if it differs from the tokens. A split
 * character belongs to the token with its last byte.
 */
function* addSpelledBytes(into: TokenText[], list: readonly TokenBytes[]): Work<void> {
  if (!(yield* anyDiffers(list))) return;
  const decoder = new TextDecoder();
  for (const { token, bytes } of list) {
    const text = decoder.decode(tokenBytes(token.text, bytes), { stream: true });
    into.push({ channel: `${token.channel}/bytes`, text, blank: token.blank });
    yield ITEM_CHARS;
  }
}

function* anyDiffers(list: readonly TokenBytes[]): Work<boolean> {
  for (const { token, bytes } of list) {
    if (differs(token.text, bytes)) return true;
    yield ITEM_CHARS;
  }
  return false;
}

/** Reports whether the bytes of a token differ from its text. */
function differs(text: string, bytes: unknown): boolean {
  if (!Array.isArray(bytes)) return false;
  if (bytes.length === text.length && isAscii(text, bytes)) return false;
  const given = tokenBytes(text, bytes);
  const own = ESCAPED.test(text) ? escapedBytes(text) : Buffer.from(text);
  if (own.equals(given)) return false;
  // A string cannot contain part of a character. The ASCII bytes around it must still match.
  return !text.includes('\ufffd') || asciiIn(given) !== asciiIn(own);
}

function isAscii(text: string, bytes: readonly unknown[]): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code > 0x7f || bytes[at] !== code) return false;
  }
  return true;
}

function tokenBytes(text: string, bytes: unknown): Buffer {
  return Array.isArray(bytes) ? Buffer.from(arrayOf(bytes).map(Number)) : Buffer.from(text);
}

function asciiIn(bytes: Buffer): string {
  return Buffer.from(bytes.filter((byte) => byte <= 0x7f)).toString('latin1');
}

/** OpenAI writes a token with part of a character as `bytes: \xf0\x9f`. */
const ESCAPED = /^bytes:[\x20-\x7e]*\\x[89a-f][0-9a-f]/i;

function escapedBytes(text: string): Buffer {
  const written = text.slice('bytes:'.length);
  const read = written.replace(/\\x([89a-f][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(read, 'latin1');
}
