/** More characters do not improve the result, and hostile texts repeat long runs. */
const ENTROPY_CHARS = 64;
/** All zero between calls. */
const counts = new Uint8Array(256);

/** Returns the Shannon entropy of a text's first 64 characters, in bits per character. */
export function entropyOf(text: string): number {
  const length = Math.min(text.length, ENTROPY_CHARS);
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at) & 255;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  let bits = 0;
  // Each count is used and cleared at the first occurrence of its character.
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at) & 255;
    const count = counts[code] ?? 0;
    if (count === 0) continue;
    bits -= (count / length) * Math.log2(count / length);
    counts[code] = 0;
  }
  return bits;
}

const PLACEHOLDER_CHARS = 512;

/** Recognizes placeholders for secrets: `xxxxxx`, `***`, AWS's `AKIA...EXAMPLE`. */
export function isPlaceholder(secret: string): boolean {
  const beginning = secret.length > PLACEHOLDER_CHARS ? secret.slice(0, PLACEHOLDER_CHARS) : secret;
  return /x{6}|X{6}|\*{3}|EXAMPLE|your[_-]|placeholder|redacted|changeme/i.test(beginning);
}

/** Requires letters of both cases, and either a digit or more capitals than identifiers have. */
export function isMixed(secret: string): boolean {
  if (!/[a-z]/.test(secret) || !/[A-Z]/.test(secret)) return false;
  return /\d/.test(secret) || (secret.match(/[A-Z]/g) ?? []).length * 4 >= secret.length;
}

/** Minimum share of adjacent characters that differ in kind: about half in random letters and digits, less in hex. */
const MIN_CHANGES = 0.3;
const MIN_CHANGES_IN_ONE_CASE = 0.15;

/** Reports whether letters and digits look random, unlike words or identifiers. */
export function isRandom(body: string): boolean {
  if (!/\d/.test(body)) return isMixed(body);
  const kinds = [...body].map((character) => (/[a-z]/.test(character) ? 1 : /[A-Z]/.test(character) ? 2 : 3));
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  const isOneCase = !kinds.includes(1) || !kinds.includes(2);
  return changes >= (isOneCase ? MIN_CHANGES_IN_ONE_CASE : MIN_CHANGES) * (body.length - 1);
}

/** Rejects words in capitals: requires a digit, three rare letters, or five consecutive consonants. */
export function isNotHeadline(body: string): boolean {
  return /\d|[B-DF-HJ-NP-TV-XZ]{5}/.test(body) || (body.match(/[JQVWXYZ]/g) ?? []).length >= 3;
}

export function hasDigitAndLetter(secret: string): boolean {
  return /[A-Za-z]/.test(secret) && /\d/.test(secret);
}
