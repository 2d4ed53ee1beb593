import { RAW_KEY_PREFIX } from './raw-key.ts';

/** What reads as a proxy key, wherever it begins; the case of its prefix does not matter, the rest is the secret. */
const PROXY_KEY = /gw-(?=([A-Za-z0-9_-]{43}))/gi;
/** No way of writing it has fewer characters than it. */
const KEY_CHARS = 46;
const PERCENT_ENCODED = /%([0-9a-f]{2})/gi;
/** As many as the path's own check undoes (`routing/path.ts`). */
const MAX_DECODINGS = 3;
/** Base64 of 46 characters or more, in either alphabet. */
const BASE64 = /[A-Za-z0-9+/_-]{62,}/g;
/** A token may be glued to what stands before it: groups of four begin at one of four places. */
const GROUP = 4;

/** Candidates of one request. Random texts hardly have two; a text with more is written to have them. */
export const MAX_CANDIDATES = 32;

/**
 * Collects what reads as a proxy key in a header's value, a path or a query: as it is, in quotes or within something
 * longer, percent-encoded, or in base64 (`user:password` of Basic). Random text (a signature, a session token) reads as
 * one now and then, so only the hash of a candidate tells whether there is such a key. Stops one past `MAX_CANDIDATES`.
 */
export function addProxyKeys(text: string, candidates: Set<string>): void {
  if (text.length < KEY_CHARS) return;
  for (const writing of writingsOf(text)) {
    addPlain(writing, candidates);
    for (const [run] of writing.matchAll(BASE64)) {
      for (let from = 0; from < GROUP; from += 1) {
        addPlain(Buffer.from(run.slice(from), 'base64').toString('latin1'), candidates);
      }
      if (candidates.size > MAX_CANDIDATES) return;
    }
  }
}

/** Whether something in a text reads as a proxy key, be there such a key or not. */
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

/** The text, and what it says where it is percent-encoded, up to three times over. */
function writingsOf(text: string): string[] {
  const writings = [text];
  for (let last = text; writings.length <= MAX_DECODINGS && last.includes('%');) {
    const next = last.replaceAll(PERCENT_ENCODED, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    if (next === last) break;
    writings.push(next);
    last = next;
  }
  return writings;
}
