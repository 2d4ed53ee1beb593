/** A proxy key wherever it stands; the case of its prefix does not matter, the rest is the secret. */
const PROXY_KEY = /gw-[A-Za-z0-9_-]{43}/i;
/** No way of writing it has fewer characters than it. */
const KEY_CHARS = 46;
const PERCENT_ENCODED = /%([0-9a-f]{2})/gi;
/** As many as the path's own check undoes (`routing/path.ts`). */
const MAX_DECODINGS = 3;
/** Base64 of 46 characters or more, in either alphabet. */
const BASE64 = /[A-Za-z0-9+/_-]{62,}/g;
/** A token may be glued to what stands before it: groups of four begin at one of four places. */
const GROUP = 4;

/**
 * Whether a header's value, a path or a query has a proxy key in it: as it is, in quotes or within something longer,
 * percent-encoded, or in base64 (`user:password` of Basic). It says nothing of whose key that is.
 */
export function carriesProxyKey(text: string): boolean {
  if (text.length < KEY_CHARS) return false;
  return writingsOf(text).some((writing) => PROXY_KEY.test(writing) || holdsInBase64(writing));
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

function holdsInBase64(text: string): boolean {
  return (text.match(BASE64) ?? []).some((run) => {
    for (let from = 0; from < GROUP; from += 1) {
      if (PROXY_KEY.test(Buffer.from(run.slice(from), 'base64').toString('latin1'))) return true;
    }
    return false;
  });
}
