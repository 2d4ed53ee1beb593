import { isUndecidedAt, partialOf } from './partial-pattern.ts';
import { isRandom } from './randomness.ts';

/** A class of secrets. The pattern runs only at its keywords, which keeps the search linear. */
export interface SecretRule {
  /** Rule name in findings; from a closed set. */
  readonly id: string;
  /**
   * `head`: the secret begins with its keyword, in exact case. `inner`: the keyword is within the secret.
   * `name`: the keyword precedes the secret, as in `cohere_key = ...`. Keywords of the last two are lowercase and
   * match any case.
   */
  readonly anchor: 'head' | 'inner' | 'name';
  readonly keywords: readonly string[];
  /** Sticky; applied at the secret's start or after its name. The secret is the first group, or else the match. */
  readonly pattern: RegExp;
  /** Maximum length from the start of the pattern to the last character checked after the secret. */
  readonly maxChars: number;
  /** Minimum Shannon entropy without the prefix, in bits per character. */
  readonly minEntropy: number;
  /** For `inner`: maximum distance from the secret's start to the keyword. `startOf` returns the start, or -1. */
  readonly lead?: {
    readonly maxChars: number;
    readonly startOf: (text: string, keywordStart: number) => number;
  };
  /** Does not match directly after a hyphen or underscore. */
  readonly startsRun?: true;
  /** Characters with which the secret may continue after the match, followed by up to two `=`. */
  readonly run?: LongRun;
  /** Checks the first characters at `at`. Returns true while there are too few. */
  readonly mayBegin?: (text: string, at: number) => boolean;
  readonly accepts?: (secret: string) => boolean;
  /** For `head`: allows a word directly before the secret (`tokenghp_...`) if the part after its keyword passes. */
  readonly followsWord?: (body: string) => boolean;
  /** Allows letters and digits directly after the secret if the part after its keyword passes. */
  readonly precedesWord?: (body: string) => boolean;
  readonly extend?: (text: string, start: number, end: number) => Extent;
  /** Returns the start of a secret that more text could complete (default: `from`), or undefined if there is none. */
  readonly undecidedFrom?: (text: string, from: number) => number | undefined;
}

export interface LongRun {
  readonly characters: RegExp;
  readonly maxChars: number;
}

export interface Extent {
  /** Undefined if the text is not a secret. */
  readonly end: number | undefined;
  readonly isOpen: boolean;
}

type Options = Partial<
  Pick<
    SecretRule,
    | 'maxChars'
    | 'minEntropy'
    | 'startsRun'
    | 'mayBegin'
    | 'accepts'
    | 'extend'
    | 'followsWord'
    | 'precedesWord'
  >
> & {
  /** Lookahead after the secret; by default, excludes a letter or digit, also after underscores. */
  readonly notBefore?: string;
};

export const END_OF_BASE64 = '(?![A-Za-z0-9+/=_-])';

const DEFAULT_MAX_CHARS = 512;
const DEFAULT_MIN_ENTROPY = 3;
/** Underscores are part of a name only if a word follows. Otherwise they are Markdown: `_token_`, `__token__`. */
const NOT_BEFORE_NAME = '_{1,3}[A-Za-z0-9]';
const NOT_BEFORE_WORD = `(?![A-Za-z0-9]|${NOT_BEFORE_NAME})`;
/** For secrets of capitals and digits, which lowercase letters end. */
export const NOT_BEFORE_CAPITAL = `(?![A-Z0-9]|${NOT_BEFORE_NAME})`;
/** For secrets of hexadecimal digits. A word may follow, even one that begins with hexadecimal digits. */
export const NOT_BEFORE_HEX = `(?![a-f0-9]{1,4}(?![g-z])|${NOT_BEFORE_NAME})`;
export const NOT_BEFORE_SMALL = `(?![a-z0-9-]|${NOT_BEFORE_NAME})`;

const SHORT_WORD = '(?:[a-z]{2,8})?';

/** For fixed-length secrets of letters and digits. A word may directly precede or follow them. */
export const EXACT = {
  notBefore: `(?=${SHORT_WORD}${NOT_BEFORE_WORD})`,
  precedesWord: isRandom,
  followsWord: isRandom,
} as const satisfies Options;
export const EXACT_BASE64URL = {
  ...EXACT,
  notBefore: `(?=${SHORT_WORD}(?![A-Za-z0-9_-]))`,
} as const satisfies Options;
export const EXACT_HEX = { notBefore: NOT_BEFORE_HEX, followsWord: isRandom } as const satisfies Options;

/**
 * Creates a rule for secrets that begin with one of `prefixes`, in exact case. If `body` is a group, the prefix is not
 * masked.
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
    keywords: prefixes,
    anchor: 'head',
    pattern: new RegExp(`(?:${prefixes.map(literal).join('|')})(?:${body})${notBefore}`, 'y'),
    maxChars: DEFAULT_MAX_CHARS,
    minEntropy: DEFAULT_MIN_ENTROPY,
    ...rest,
  };
}

/** Creates a rule for long secrets: one of `prefixes`, then a run of at least `minChars` `characters`. */
export function longRun(
  id: string,
  prefixes: readonly string[],
  characters: string,
  { minChars, maxChars, ...rest }: LongRunOptions,
): SecretRule {
  return {
    ...prefixed(id, prefixes, `${characters}{${String(minChars)}}`, {
      notBefore: '',
      startsRun: true,
      ...rest,
    }),
    run: { characters: new RegExp(`${characters}*`, 'y'), maxChars },
    maxChars,
  };
}

type LongRunOptions = Partial<Pick<SecretRule, 'minEntropy' | 'mayBegin' | 'accepts' | 'extend'>> & {
  readonly minChars: number;
  readonly maxChars: number;
};

/** Name and secret in two members: `"name": "…", "value": "…"`, `- name: …` above `value: …`, and XML tags. */
const VALUE_NAME = '\\w{0,16}(?:value|val|data|secret|contents?|string|default|literal)';
const PAIR = `(?:["'\`\\\\]{0,4}(?:,\\s{0,32}|\\s{1,32}|\\s{0,4}[:=]\\s{0,24}\\{?\\s{0,24})["'\`\\\\]{0,2}${VALUE_NAME}|<\\/\\w{1,24}>\\s{0,32}<\\w{1,24})`;
/**
 * Between a name and its value: the rest of the name, a closing quote or bracket, an assignment sign (or a call's `,`,
 * a tag's `>`, the word `is`), an opening quote.
 */
const LINK = `[\\w .\\t-]{0,30}${PAIR}?["'\`\\])]{0,2}\\s{0,4}(?:=>|\\?=|:{0,3}=|[:,>]|\\|\\||\\bis(?=[\\s"'\`(\\[:=]))[=:\\s"'\`(\\[]{0,16}`;
const LINK_MAX_CHARS = 176;
/** The shortest link, for the first possible start of a value. */
const SHORTEST_LINK = `[\\w .\\t-]{0,30}?${PAIR}??["'\`\\])]{0,2}?\\s{0,4}?(?:[:,>]|=|\\bis(?=[\\s"'\`(\\[:=])|\\|\\||=>|\\?=|:{1,3}=)[=:\\s"'\`(\\[]{0,16}?`;

/**
 * Creates a rule for secrets without a prefix that are assigned to one of `names`. A name may continue for up to 30
 * characters.
 */
export function assignedSecret(
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
    undecidedFrom: undecidedValue(`(?:${value})${notBefore}`),
    ...rest,
  };
}

/** Compiles the pattern on first use, because few rules need one. */
function undecidedValue(value: string): (text: string, from: number) => number | undefined {
  let partial: RegExp | undefined;
  return (text, from) => {
    partial ??= new RegExp(`${SHORTEST_LINK}(${partialOf(value)})`, 'iy');
    partial.lastIndex = from;
    const match = partial.exec(text);
    return match === null ? undefined : from + match[0].length - (match[1] ?? '').length;
  };
}

export function undecidedFrom(rule: SecretRule, text: string, from: number): number | undefined {
  if (rule.undecidedFrom !== undefined) return rule.undecidedFrom(text, from);
  return isUndecidedAt(rule.pattern, text, from) ? from : undefined;
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
