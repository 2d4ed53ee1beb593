/**
 * One class of secret. A keyword found anywhere makes the pattern run there, and only there; this is what keeps the
 * search linear. A scanner of streams needs the same three facts: the keywords, the pattern and `maxChars`.
 */
export interface SecretRule {
  /** Reported as the finding's rule: a closed set. */
  readonly id: string;
  /** Lower case; searched without regard to case. The pattern itself tells upper from lower case where that matters. */
  readonly keywords: readonly string[];
  /** `head`: the secret begins at its keyword. `name`: the keyword names the secret that follows, as in `cohere_key = ...`. */
  readonly anchor: 'head' | 'name';
  /** Sticky. Run at the secret's start (`head`) or behind the keyword (`name`); its first group, or else the match, is the secret. */
  readonly pattern: RegExp;
  /** Most characters that name, separator and secret take together: the window a scanner of streams must keep. */
  readonly maxChars: number;
  /** Shannon entropy that the secret has at least, in bits a character, its prefix left out. */
  readonly minEntropy: number;
  /** A secret whose keyword does not stand at its start: where it starts, from where the keyword does. */
  readonly startOf?: (text: string, keywordStart: number) => number;
  /** Only what stands at the very start of a run of word characters and hyphens: for patterns that read long runs. */
  readonly startsRun?: true;
  /** A last look at the secret's text. */
  readonly accepts?: (secret: string) => boolean;
  /** Goes on from the pattern's match to the secret's end; `undefined` when it is none after all. */
  readonly extend?: (text: string, start: number, end: number) => number | undefined;
}

type Options = Partial<
  Pick<SecretRule, 'maxChars' | 'minEntropy' | 'startOf' | 'startsRun' | 'accepts' | 'extend'>
> & {
  /** What must not follow; default a letter, digit or underscore. */
  readonly notBefore?: string;
};

const DEFAULT_MAX_CHARS = 512;
const DEFAULT_MIN_ENTROPY = 3;
const NOT_BEFORE_WORD = '(?![A-Za-z0-9_])';

/**
 * A rule for secrets that begin with one of `prefixes`, in exactly that case, and go on with `body`. A group around the
 * body makes a name of the prefix, which then stays.
 */
export function prefixed(
  id: string,
  prefixes: readonly string[],
  body: string,
  options: Options = {},
): SecretRule {
  const { notBefore = NOT_BEFORE_WORD, ...rest } = options;
  return {
    id,
    keywords: prefixes.map((prefix) => prefix.toLowerCase()),
    anchor: 'head',
    pattern: new RegExp(`(?:${prefixes.map(literal).join('|')})(?:${body})${notBefore}`, 'y'),
    maxChars: DEFAULT_MAX_CHARS,
    minEntropy: DEFAULT_MIN_ENTROPY,
    ...rest,
  };
}

/**
 * What stands between a name and its value: the rest of the name, a closing quote or bracket, a sign of assignment
 * (or `,` of a call, `>` of a tag, the word `is`), an opening quote.
 */
const LINK =
  '[\\w .\\t-]{0,30}["\'`\\])]{0,2}\\s{0,4}(?:=>|\\?=|:{0,3}=|[:,>]|\\|\\||\\bis\\b)[=:\\s"\'`(\\[]{0,16}';
const LINK_MAX_CHARS = 96;

/** A rule for secrets without a prefix of their own: a value of the right shape that is assigned to one of `names`. */
export function named(
  id: string,
  names: readonly string[],
  value: string,
  options: Options = {},
): SecretRule {
  const { notBefore = NOT_BEFORE_WORD, maxChars = DEFAULT_MAX_CHARS, ...rest } = options;
  return {
    id,
    keywords: names,
    anchor: 'name',
    pattern: new RegExp(`${LINK}(${value})${notBefore}`, 'iy'),
    maxChars: maxChars + LINK_MAX_CHARS,
    minEntropy: DEFAULT_MIN_ENTROPY,
    ...rest,
  };
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}

/** More characters add nothing to the judgement, and hostile texts repeat long runs. */
const ENTROPY_CHARS = 64;
const counts = new Uint8Array(256);

/** Shannon entropy of the first 64 characters of a text, in bits a character. */
export function entropyOf(text: string): number {
  const length = Math.min(text.length, ENTROPY_CHARS);
  counts.fill(0);
  for (let at = 0; at < length; at += 1) {
    const code = text.charCodeAt(at) & 255;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  let bits = 0;
  for (const count of counts) if (count > 0) bits -= (count / length) * Math.log2(count / length);
  return bits;
}

/** What people write in place of a secret: `xxxxx`, `***`, `AKIA...EXAMPLE` of AWS's manuals. */
export function isPlaceholder(secret: string): boolean {
  return /x{6}|X{6}|\*{3}|EXAMPLE|your[_-]|placeholder|redacted|changeme/i.test(secret);
}

/**
 * Upper-case and lower-case letters and a digit: not a word, not a hash. Some random texts have no digit; these have
 * more capitals than names in code do.
 */
export function isMixed(secret: string): boolean {
  if (!/[a-z]/.test(secret) || !/[A-Z]/.test(secret)) return false;
  return /\d/.test(secret) || (secret.match(/[A-Z]/g) ?? []).length * 4 >= secret.length;
}

/** Letters and digits: not a word, not a number. */
export function hasDigitAndLetter(secret: string): boolean {
  return /[A-Za-z]/.test(secret) && /\d/.test(secret);
}

/**
 * Whether a secret may begin here: not in the middle of a word. A percent-encoded character before it, as in
 * `key%3Dsk-`, is no part of a word.
 */
export function startsToken(text: string, at: number, startsRun: boolean): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  if (before === 45 || before === 95) return !startsRun;
  if (!isWord(before)) return true;
  return text[at - 3] === '%' && /^[0-9A-Fa-f]{2}$/.test(text.slice(at - 2, at));
}

function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
