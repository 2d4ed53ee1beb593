import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.ts';
import { readMediaType } from '../media-type.ts';
import { isHostedType } from '../providers/dialects/opaque-tools.ts';
import type { HostedTool, PromptText } from '../providers/request-facts.ts';
import type { Identified, Parsed } from './exchange.ts';
import { MAX_DECODINGS } from '../text/decodings.ts';

const JSON_STARTS: ReadonlySet<string | undefined> = new Set(['{', '[']);

/**
 * Stage `Identified -> Parsed` for a body other than JSON (a form, a text file) sent to an unknown endpoint. The texts
 * are the body and its decoded forms; they cannot be edited.
 * @throws GatewayError invalid_request for JSON with another media type; unsupported_media_type if the body cannot be
 * inspected
 */
export function parseBytes(exchange: Identified, body: Buffer): Parsed {
  if (body.length === 0) throw new GatewayError('invalid_request', 'the request has no body');
  const words = readableText(body);
  if (JSON_STARTS.has(words.trimStart()[0])) {
    throw new GatewayError('invalid_request', 'send JSON with Content-Type: application/json');
  }
  // Checks expect texts in a JSON document.
  const json = { body: decodingsOf(words) };
  const texts = json.body.map((text, index): PromptText => ({ ...USER_TEXT, text, path: ['body', index] }));
  const facts = exchange.endpoint.dialect.request({}, exchange.endpoint);
  const hostedTools = json.body.flatMap(hostedToolsIn);
  return { ...exchange, body, json, request: { ...facts, texts, hostedTools }, edits: [] };
}

const USER_TEXT = { role: 'user', kind: 'text', editable: false } as const;

/** Matches control characters, which occur in UTF-16, archives, images and audio, but not in text. */
const CONTROLS = /[\x00-\x08\x0b\x0e-\x1f\x7f]/;
/** Matches headers of a form part, or of a message in it, that declare an encoding. */
const ENCODING_HEADER = /^(?:content-transfer-encoding|content-encoding)[ \t]{0,64}:[ \t]{0,64}(\S{0,64})/gim;
const PLAIN_CODINGS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary', 'identity']);
const CHARSET = /charset[ \t]{0,64}\*?[ \t]{0,64}=[^;\r\n]{0,64}/gi;
/** Matches a form field that sets the charset of the others (HTML), or an encoded word in a header (RFC 2047). */
const ENCODED_FIELDS = /name[ \t]{0,64}=[ \t]{0,64}"?_charset_|=\?[\w.-]{1,64}\?[bq]\?/i;

/** @throws GatewayError unsupported_media_type unless the whole body is plain UTF-8 */
function readableText(body: Buffer): string {
  if (!isUtf8(body)) throw unreadable('it is not UTF-8');
  const text = body.toString('utf8');
  if (CONTROLS.test(text)) throw unreadable('it contains control characters');
  for (const [, coding = ''] of text.matchAll(ENCODING_HEADER)) {
    if (!PLAIN_CODINGS.has(coding.toLowerCase())) throw unreadable('part of it is encoded');
  }
  for (const [named] of text.matchAll(CHARSET)) {
    if (readMediaType(`text/plain;${named}`).charset === 'other')
      throw unreadable('part of it declares a charset other than UTF-8');
  }
  if (ENCODED_FIELDS.test(text)) throw unreadable('part of it is encoded');
  return text;
}

function unreadable(why: string): GatewayError {
  return new GatewayError(
    'unsupported_media_type',
    `the gateway cannot read this body: ${why}; unknown endpoints accept only JSON and UTF-8 text`,
  );
}

/** Returns the text as written, followed by its decodings (percent-encoding, entities, JSON escapes). */
function decodingsOf(words: string): string[] {
  const readings = [words];
  for (let last = words; readings.length <= MAX_DECODINGS;) {
    const next = withoutEscapes(decodeEntities(percentDecoded(last)));
    if (next === last) break;
    readings.push(next);
    last = next;
  }
  return readings;
}

/** Also decodes a plus as a space, as in forms. Bodies that are not forms are scanned as written, too. */
function percentDecoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  return spaced.includes('%') ? withoutPercents(Buffer.from(spaced)).toString('utf8') : spaced;
}

const ENTITY = /&#(?:x([0-9a-f]{1,6})|([0-9]{1,7}));?/gi;

function decodeEntities(text: string): string {
  if (!text.includes('&#')) return text;
  return text.replaceAll(ENTITY, (written, hex?: string, decimal?: string) => {
    const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
    return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : written;
  });
}

const MAX_CODE_POINT = 0x10ffff;

function withoutEscapes(text: string): string {
  if (!text.includes('\\u')) return text;
  return text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

const TOOLS_FIELD =
  /(?:\bname[ \t]{0,64}=[ \t]{0,64}["']?|(?:^|&))(tools|mcp_servers|plugins|connectors|web_search_options)\b/gim;
const TYPED_TOOL = /["']type["']\s{0,64}:\s{0,64}["']([\w-]{1,64})["']/g;

/** Returns the provider tools in a body. Bytes cannot be edited, so the request is refused unless they are allowed. */
function hostedToolsIn(words: string): HostedTool[] {
  const types = [...words.matchAll(TOOLS_FIELD)].map(([, field = '']) => field);
  for (const [, type = ''] of words.matchAll(TYPED_TOOL)) if (isHostedType(type)) types.push(type);
  return [...new Set(types)].map((type) => ({ type, remove: [], forced: true }));
}

/** Reports whether the body contains the proxy key percent-encoded, in Base64 or in UTF-16. */
export function encodesProxyKey(body: Buffer, rawKey: string): boolean {
  const twoBytes = Buffer.from(rawKey, 'utf16le');
  if (body.includes(twoBytes.subarray(0, -1))) return true;
  if (base64Of(rawKey).some((text) => body.includes(text))) return true;
  return isPercentEncodedIn(body, rawKey);
}

/** Returns the Base64 and Base64url forms of the key, for each offset in a group of three bytes. */
function base64Of(rawKey: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), Buffer.from(rawKey)]);
    const from = Math.ceil((before * 4) / 3);
    const whole = Math.floor(padded.length / 3) * 4;
    return (['base64', 'base64url'] as const).map((alphabet) => padded.toString(alphabet).slice(from, whole));
  });
}

function isPercentEncodedIn(body: Buffer, rawKey: string): boolean {
  let last = body;
  for (let times = 0; times < MAX_DECODINGS && last.includes('%'); times += 1) {
    const next = withoutPercents(last);
    if (next.length === last.length) return false;
    if (next.includes(rawKey)) return true;
    last = next;
  }
  return false;
}

const PERCENT = 0x25;

function withoutPercents(body: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    const written = byte === PERCENT ? 16 * hexDigit(body[at + 1]) + hexDigit(body[at + 2]) : NaN;
    if (!Number.isNaN(written)) at += 2;
    decoded[length++] = Number.isNaN(written) ? byte : written;
  }
  return decoded.subarray(0, length);
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN;
}
