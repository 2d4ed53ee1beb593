import { GatewayError } from '../errors.ts';
import { isHostedType } from '../providers/dialects/opaque-tools.ts';
import type { HostedTool, PromptText } from '../providers/provider.ts';
import type { Identified, Parsed } from './exchange.ts';
import { readableText } from './readable-bytes.ts';

/** As many as a path's own check undoes (`routing/path.ts`). */
const MAX_DECODINGS = 3;
const JSON_STARTS: ReadonlySet<string | undefined> = new Set(['{', '[']);

/**
 * The stage `Identified -> Parsed` for a body that is no JSON (a form, a text file), to an endpoint that nobody knows: its
 * words are one text, which no edit can replace, and what they say where they are escaped is another.
 * @throws GatewayError invalid_request where it is JSON under another name; unsupported_media_type where it cannot be read
 */
export function parseBytes(exchange: Identified, body: Buffer): Parsed {
  if (body.length === 0) throw new GatewayError('invalid_request', 'the request has no body');
  const words = readableText(body);
  if (JSON_STARTS.has(words.trimStart()[0])) {
    throw new GatewayError('invalid_request', 'send JSON with Content-Type: application/json');
  }
  // The checks look for texts where they stand in a document: this one has nothing else.
  const json = { body: readingsOf(words) };
  const texts = json.body.map((text, index): PromptText => ({ ...WORDS, text, path: ['body', index] }));
  const facts = exchange.endpoint.dialect.request({}, exchange.endpoint);
  const hostedTools = json.body.flatMap(hostedToolsIn);
  return { ...exchange, body, json, request: { ...facts, texts, hostedTools }, edits: [] };
}

const WORDS = { role: 'user', kind: 'text', editable: false } as const;

/** The words as they are written, and as they read without percent-encoding, entities and JSON's escapes. */
function readingsOf(words: string): string[] {
  const readings = [words];
  for (let last = words; readings.length <= MAX_DECODINGS;) {
    const next = withoutEscapes(decodeEntities(percentDecoded(last)));
    if (next === last) break;
    readings.push(next);
    last = next;
  }
  return readings;
}

/** Of a form, a space may be a plus; what is no form reads as well without. */
function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return withoutPercents(Buffer.from(text.replaceAll('+', ' '))).toString('utf8');
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

/** JSON's own, in a field or a line of a file that holds JSON. */
function withoutEscapes(text: string): string {
  if (!text.includes('\\u')) return text;
  return text.replaceAll(/\\u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** A field of a form in which tools stand, or JSON in one that names a tool of the provider's. */
const TOOLS_FIELD =
  /(?:\bname[ \t]{0,64}=[ \t]{0,64}["']?|(?:^|&))(tools|mcp_servers|plugins|connectors|web_search_options)\b/gim;
const TYPED_TOOL = /["']type["']\s{0,64}:\s{0,64}["']([\w-]{1,64})["']/g;

/** None can be taken out of bytes, so that the request is refused unless they are let in. */
function hostedToolsIn(words: string): HostedTool[] {
  const types = [...words.matchAll(TOOLS_FIELD)].map(([, field = '']) => field);
  for (const [, type = ''] of words.matchAll(TYPED_TOOL)) if (isHostedType(type)) types.push(type);
  return [...new Set(types)].map((type) => ({ type, remove: [], forced: true }));
}

/** True where the body spells the proxy key in another writing than its own: percent-encoded, in base64, in UTF-16. */
export function encodesProxyKey(body: Buffer, rawKey: string): boolean {
  const twoBytes = Buffer.from(rawKey, 'utf16le');
  if (body.includes(twoBytes.subarray(0, -1))) return true;
  if (base64Of(rawKey).some((text) => body.includes(text))) return true;
  return isPercentEncodedIn(body, rawKey);
}

/** What base64 writes of it whatever stands before: groups of four begin at one of three places. */
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

/** NaN where the byte is none. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN;
}
