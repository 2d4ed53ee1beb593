import { GatewayError } from '../errors.ts';
import type { PromptText } from '../providers/provider.ts';
import type { Identified, Parsed } from './exchange.ts';

/** What is neither a letter nor a space: texts of a form or file lie between such. */
const NO_LETTERS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]+/g;
/** As many as a path's own check undoes (`routing/path.ts`). */
const MAX_DECODINGS = 3;
const JSON_STARTS: ReadonlySet<string | undefined> = new Set(['{', '[']);

/**
 * The stage `Identified -> Parsed` for a body that is no JSON (a form, a file), to an endpoint that nobody knows: its
 * words are one text, which no edit can replace.
 * @throws GatewayError invalid_request where it is JSON under another name, whose escapes would hide its words
 */
export function parseBytes(exchange: Identified, body: Buffer): Parsed {
  if (body.length === 0) throw new GatewayError('invalid_request', 'the request has no body');
  const words = body.toString('utf8').replaceAll(NO_LETTERS, '\n');
  if (JSON_STARTS.has(words.trimStart()[0])) {
    throw new GatewayError('invalid_request', 'send JSON with Content-Type: application/json');
  }
  // The checks look for texts where they stand in a document: this one has nothing else.
  const json = { body: words };
  const text: PromptText = { role: 'user', kind: 'text', text: words, path: ['body'], editable: false };
  const request = { ...exchange.endpoint.dialect.request({}, exchange.endpoint), texts: [text] };
  return { ...exchange, body, json, request, edits: [] };
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
