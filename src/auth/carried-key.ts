import { RAW_KEY_PREFIX } from './raw-key.ts';
import { MAX_DECODINGS } from '../text/decodings.ts';

/** The lookahead finds overlapping keys. The `i` flag matters only for the prefix. */
const PROXY_KEY = /gw-(?=([A-Za-z0-9_-]{43}))/gi;
/** Length of a key. No encoding is shorter. */
const KEY_CHARS = 46;
const PERCENT_ENCODED = /%([0-9a-f]{2})/gi;
/** At least 62 Base64 characters, which encode the 46 of a key, in either alphabet. */
const BASE64 = /[A-Za-z0-9+/_-]{62,}/g;
/** Base64 may directly follow other text, so its groups of four characters may begin at any of four offsets. */
const GROUP = 4;

/** Maximum number of candidates in one request. Random text rarely has two. */
export const MAX_CANDIDATES = 32;

/**
 * Collects possible proxy keys in a header value, path or query: plain, quoted, inside longer text, percent-encoded, or
 * in Base64 (Basic authentication). Random text, such as a signature, may match, so callers must look up the hash.
 * Stops collecting from a text soon after there are more than `MAX_CANDIDATES`.
 */
export function addProxyKeys(text: string, candidates: Set<string>): void {
  if (text.length < KEY_CHARS) return;
  for (const decoded of decodingsOf(text)) {
    addPlain(decoded, candidates);
    for (const [run] of decoded.matchAll(BASE64)) {
      for (let from = 0; from < GROUP; from += 1) {
        addPlain(Buffer.from(run.slice(from), 'base64').toString('latin1'), candidates);
      }
      if (candidates.size > MAX_CANDIDATES) return;
    }
  }
}

export function carriesProxyKey(text: string): boolean {
  const candidates = new Set<string>();
  addProxyKeys(text, candidates);
  return candidates.size > 0;
}

function addPlain(text: string, candidates: Set<string>): void {
  for (const [, secret = ''] of text.matchAll(PROXY_KEY)) {
    candidates.add(RAW_KEY_PREFIX + secret);
    if (candidates.size > MAX_CANDIDATES) return;
  }
}

function decodingsOf(text: string): string[] {
  const decodings = [text];
  for (let last = text; decodings.length <= MAX_DECODINGS && last.includes('%');) {
    const next = last.replaceAll(PERCENT_ENCODED, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    if (next === last) break;
    decodings.push(next);
    last = next;
  }
  return decodings;
}
