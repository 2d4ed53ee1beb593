/** More characters add nothing to the judgement, and hostile texts repeat long runs. */
const ENTROPY_CHARS = 64;
/** All zero but while one text is judged. */
const counts = new Uint8Array(256);

/** Shannon entropy of the first 64 characters of a text, in bits a character. */
export function entropyOf(text: string): number {
  const length = Math.min(text.length, ENTROPY_CHARS);
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at) & 255;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  let bits = 0;
  // Each count is read, and forgotten, where its character stands first.
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at) & 255;
    const count = counts[code] ?? 0;
    if (count === 0) continue;
    bits -= (count / length) * Math.log2(count / length);
    counts[code] = 0;
  }
  return bits;
}

/** A placeholder is short. */
const PLACEHOLDER_CHARS = 512;

/** What people write in place of a secret: `xxxxx`, `***`, `AKIA...EXAMPLE` of AWS's manuals. */
export function isPlaceholder(secret: string): boolean {
  const beginning = secret.length > PLACEHOLDER_CHARS ? secret.slice(0, PLACEHOLDER_CHARS) : secret;
  return /x{6}|X{6}|\*{3}|EXAMPLE|your[_-]|placeholder|redacted|changeme/i.test(beginning);
}

/**
 * Upper-case and lower-case letters and a digit: not a word, not a hash. Some random texts have no digit; these have
 * more capitals than names in code do.
 */
export function isMixed(secret: string): boolean {
  if (!/[a-z]/.test(secret) || !/[A-Z]/.test(secret)) return false;
  return /\d/.test(secret) || (secret.match(/[A-Z]/g) ?? []).length * 4 >= secret.length;
}

/** Of neighbours in random letters and digits half and more are of different kinds, in hexadecimal digits fewer. */
const MIN_CHANGES = 0.3;
const MIN_CHANGES_IN_ONE_CASE = 0.15;

/** Whether letters and digits come as by chance: not a name in code, not words. */
export function isRandom(body: string): boolean {
  if (!/\d/.test(body)) return isMixed(body);
  const kinds = [...body].map((character) => (/[a-z]/.test(character) ? 1 : /[A-Z]/.test(character) ? 2 : 3));
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  const isOneCase = !kinds.includes(1) || !kinds.includes(2);
  return changes >= (isOneCase ? MIN_CHANGES_IN_ONE_CASE : MIN_CHANGES) * (body.length - 1);
}

/**
 * Whether capitals and digits are no word of a headline: there is a digit, or there are more rare letters than a word
 * has, or consonants that no word has in a row.
 */
export function isNoHeadline(body: string): boolean {
  return /\d|[B-DF-HJ-NP-TV-XZ]{5}/.test(body) || (body.match(/[JQVWXYZ]/g) ?? []).length >= 3;
}

/** Letters and digits: not a word, not a number. */
export function hasDigitAndLetter(secret: string): boolean {
  return /[A-Za-z]/.test(secret) && /\d/.test(secret);
}
