import { MASK } from '../../text/mask.ts';
import type { JsonEdit, JsonPath } from '../../json/path.ts';
import type { TokenText } from '../dialect.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { arrayOf, objectOf } from './fields.ts';
import { eachIn, eachToken, type Places } from './places.ts';

/** Reads token objects: OpenAI's and Ollama's `{token, logprob, bytes, top_logprobs}`, llama.cpp's with `id`. */
export function listedTokens(object: unknown, name: string, path: JsonPath, channel: string): Places {
  const listed: TokenBytes[] = [];
  const alternatives: TokenText[] = [];
  let isSpelledOtherwise = false;
  const tokens = eachIn(object, name, path, (value, at, index) => {
    const item = objectOf(value);
    const { token: text, bytes } = item;
    if (typeof text !== 'string') return [];
    const blank = [
      set([...at, 'token'], MASK),
      ...setWhere(item, 'bytes', at, null),
      ...setWhere(item, 'id', at, 0),
      ...setWhere(item, 'top_logprobs', at, []),
    ];
    const token = { channel, text, blank };
    listed.push({ token, bytes });
    isSpelledOtherwise ||= differs(text, bytes);
    let nth = 0;
    const others = eachIn(item, 'top_logprobs', [], (other) => {
      const spelled = alternativeText(other);
      if (spelled === undefined) return [];
      alternatives.push({ channel: `${channel}/bytes/${index}/${nth}`, text: spelled, blank });
      nth += 1;
      return [];
    });
    return [token, others];
  });
  return [
    tokens,
    () => (isSpelledOtherwise ? spelledBytes(listed) : []),
    () => eachToken(alternatives, (token) => token),
  ];
}

/** Minimum length of a finding. */
const MIN_FOUND_BYTES = 6;

/** Returns the text that an alternative token's bytes spell, if it differs from the token and could be a finding. */
function alternativeText(value: unknown): string | undefined {
  const { token, bytes } = objectOf(value);
  const isLong = typeof token === 'string' && arrayOf(bytes).length >= MIN_FOUND_BYTES;
  return isLong && differs(token, bytes) ? Buffer.from(arrayOf(bytes).map(Number)).toString() : undefined;
}

/** Reads parallel arrays: `{tokens, token_logprobs, top_logprobs, text_offset}`, or Together's with `token_ids`. */
export function parallelTokens(lists: JsonObject, path: JsonPath, channel: string): Places {
  const alternatives = arrayOf(lists.top_logprobs);
  const ids = arrayOf(lists.token_ids);
  return eachIn(lists, 'tokens', path, (text, at, index) => {
    if (typeof text !== 'string') return [];
    const blank = [
      set(at, MASK),
      ...(alternatives[index] == null ? [] : [set([...path, 'top_logprobs', index], {})]),
      ...(ids[index] === undefined ? [] : [set([...path, 'token_ids', index], 0)]),
    ];
    return { channel, text, blank };
  });
}

/** Reads Gemini's `logprobsResult`: chosen tokens and their alternatives. */
export function chosenTokens(result: JsonObject, path: JsonPath, channel: string): Places {
  const alternatives = arrayOf(result.topCandidates);
  return eachIn(result, 'chosenCandidates', path, (value, at, index) => {
    const chosen = objectOf(value);
    if (typeof chosen.token !== 'string') return [];
    const blank = [
      set([...at, 'token'], MASK),
      ...setWhere(chosen, 'tokenId', at, 0),
      ...setWhere(objectOf(alternatives[index]), 'candidates', [...path, 'topCandidates', index], []),
    ];
    return { channel, text: chosen.token, blank };
  });
}

/** Reads a Cohere piece, which combines the text and ids of several tokens. */
export function pieceTokens(value: unknown, path: JsonPath, channel: string): TokenText[] {
  const piece = objectOf(value);
  if (typeof piece.text !== 'string') return [];
  const blank = [set([...path, 'text'], MASK), ...setWhere(piece, 'token_ids', path, [])];
  return [{ channel, text: piece.text, blank }];
}

function set(path: JsonPath, value: unknown): JsonEdit {
  return { kind: 'set', path, value };
}

/** Edits only existing members, because an edit would add a missing one. */
function setWhere(object: JsonObject, name: string, path: JsonPath, value: unknown): JsonEdit[] {
  return object[name] == null ? [] : [set([...path, name], value)];
}

/** A listed token and its `bytes`: the UTF-8 of its text, or of part of a character. */
interface TokenBytes {
  readonly token: TokenText;
  readonly bytes: unknown;
}

/** Reads the text that the bytes spell. A split character belongs to the token with its last byte. */
function spelledBytes(listed: readonly TokenBytes[]): Places {
  const decoder = new TextDecoder();
  return eachToken(listed, ({ token, bytes }) => {
    const text = decoder.decode(tokenBytes(token.text, bytes), { stream: true });
    return { channel: `${token.channel}/bytes`, text, blank: token.blank };
  });
}

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

/** Matches OpenAI's spelling of a token with part of a character: `bytes: \xf0\x9f`. */
const ESCAPED = /^bytes:[\x20-\x7e]*\\x[89a-f][0-9a-f]/i;

function escapedBytes(text: string): Buffer {
  const written = text.slice('bytes:'.length);
  const read = written.replace(/\\x([89a-f][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(read, 'latin1');
}
