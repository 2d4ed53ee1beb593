import { isUndecidedAt, partialOf } from './partial-pattern.ts';
import { isRandom } from './randomness.ts';

/**
 * One class of secret. The pattern runs only where a keyword occurs, which keeps the search linear.
 * Everything it inspects lies within `maxChars`, so that text in chunks is decided soon.
 */
export interface SecretRule {
  /** The finding's rule: a closed set. */
  readonly id: string;
  /**
   * `head`: the secret begins with its keyword, in exact case. `inner`: the keyword occurs within the secret.
   * `name`: the keyword names the secret that follows, as in `cohere_key = ...`. The latter two are written
   * in lower case and match any case.
   */
  readonly anchor: 'head' | 'inner' | 'name';
  readonly keywords: readonly string[];
  /** Sticky. Runs at the secret's start or behind its name; the first group, or else the match, is the secret. */
  readonly pattern: RegExp;
  /** Maximum from the pattern's start to the secret's end, including the characters checked behind it. */
  readonly maxChars: number;
  /** Minimum Shannon entropy of the secret without its prefix, in bits per character. */
  readonly minEntropy: number;
  /** `inner`: maximum distance from the secret's start to the keyword, and its start, or -1. */
  readonly lead?: {
    readonly maxChars: number;
    readonly startOf: (text: string, keywordStart: number) => number;
  };
  /** Matches only at the start of a run of word characters and hyphens: for patterns that read long runs. */
  readonly startsRun?: true;
  /** The secret continues behind the match as one long run of such characters, and up to two `=`. */
  readonly run?: LongRun;
  /** Checks the first characters at `at`; true while there are too few of them. */
  readonly mayBegin?: (text: string, at: number) => boolean;
  /** A final check of the secret's text. */
  readonly accepts?: (secret: string) => boolean;
  /**
   * `head`: allows the secret directly behind a word, as in `tokenghp_...`, if the part after its keyword
   * passes.
   */
  readonly followsWord?: (body: string) => boolean;
  /**
   * Its length determines its end: allows letters and digits directly behind it, if the part after its
   * keyword passes.
   */
  readonly precedesWord?: (body: string) => boolean;
  /** Finds the secret's end from the pattern's match. */
  readonly extend?: (text: string, start: number, end: number) => Extent;
  /**
   * Returns the start of a possible secret if the text ends too early to decide and the pattern runs at
   * `from`; `undefined` if more text would not change the match. By default `from`.
   */
  readonly undecidedFrom?: (text: string, from: number) => number | undefined;
}

export interface LongRun {
  /** Sticky; matches all of them. */
  readonly characters: RegExp;
  /** Limit of the secret. */
  readonly maxChars: number;
}

export interface Extent {
  /** End of the secret; `undefined` if it is not one. */
  readonly end: number | undefined;
  /** More text could change `end`. */
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
  /** Must not follow; by default a letter or digit, also behind underscores. */
  readonly notBefore?: string;
};

/** Base64 and base64url bodies end where none of their characters follows. */
export const END_OF_BASE64 = '(?![A-Za-z0-9+/=_-])';

const DEFAULT_MAX_CHARS = 512;
const DEFAULT_MIN_ENTROPY = 3;
/** Underscores without a following word are Markdown: `_token_`, `__token__`. */
const NOT_BEFORE_NAME = '_{1,3}[A-Za-z0-9]';
const NOT_BEFORE_WORD = `(?![A-Za-z0-9]|${NOT_BEFORE_NAME})`;
/** Behind secrets of capitals and digits; a small letter ends them. */
export const NOT_BEFORE_CAPITAL = `(?![A-Z0-9]|${NOT_BEFORE_NAME})`;
/**
 * Behind secrets of hexadecimal digits; any other letter ends them, as does a word that begins with such
 * digits.
 */
export const NOT_BEFORE_HEX = `(?![a-f0-9]{1,4}(?![g-z])|${NOT_BEFORE_NAME})`;
/** Behind secrets of small letters and digits. */
export const NOT_BEFORE_SMALL = `(?![a-z0-9-]|${NOT_BEFORE_NAME})`;

/**
 * A short word may follow a secret of fixed length, as in `...and`; another letter or capitals make it too
 * long.
 */
const SHORT_WORD = '(?:[a-z]{2,8})?';

/** Secrets of letters and digits with a fixed length; a word may directly precede or follow. */
export const EXACT = {
  notBefore: `(?=${SHORT_WORD}${NOT_BEFORE_WORD})`,
  precedesWord: isRandom,
  followsWord: isRandom,
} as const satisfies Options;
/** The same for base64url. */
export const EXACT_BASE64URL = {
  ...EXACT,
  notBefore: `(?=${SHORT_WORD}(?![A-Za-z0-9_-]))`,
} as const satisfies Options;
/** The same for hexadecimal digits. */
export const EXACT_HEX = { notBefore: NOT_BEFORE_HEX, followsWord: isRandom } as const satisfies Options;

/**
 * Creates a rule for secrets that begin with one of `prefixes`, in exact case, and continue with `body`. A
 * group around the body turns the prefix into a name, which is kept.
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

/**
 * Creates a rule for secrets of up to thousands of characters: `prefixes`, then one run of at least
 * `minChars` `characters`.
 */
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
  /** Of the whole secret. */
  readonly maxChars: number;
};

/**
 * Two members may name and hold a secret: `"name": "…", "value": "…"`, `- name: …` above `value: …`, and XML
 * tags. This matches the part between the name and the sign.
 */
const VALUE_NAME = '\\w{0,16}(?:value|val|data|secret|contents?|string|default|literal)';
const PAIR = `(?:["'\`\\\\]{0,4}(?:,\\s{0,32}|\\s{1,32}|\\s{0,4}[:=]\\s{0,24}\\{?\\s{0,24})["'\`\\\\]{0,2}${VALUE_NAME}|<\\/\\w{1,24}>\\s{0,32}<\\w{1,24})`;
/**
 * The part between a name and its value: the rest of the name, a closing quote or bracket, an assignment sign
 * (or `,` of a call, `>` of a tag, the word `is`), an opening quote.
 */
const LINK = `[\\w .\\t-]{0,30}${PAIR}?["'\`\\])]{0,2}\\s{0,4}(?:=>|\\?=|:{0,3}=|[:,>]|\\|\\||\\bis(?=[\\s"'\`(\\[:=]))[=:\\s"'\`(\\[]{0,16}`;
const LINK_MAX_CHARS = 176;
/** The same, matching as little as possible: finds the first possible start of a value. */
const SHORTEST_LINK = `[\\w .\\t-]{0,30}?${PAIR}??["'\`\\])]{0,2}?\\s{0,4}?(?:[:,>]|=|\\bis(?=[\\s"'\`(\\[:=])|\\|\\||=>|\\?=|:{1,3}=)[=:\\s"'\`(\\[]{0,16}?`;

/** Creates a rule for secrets without a prefix: a value of the right form assigned to one of `names`. */
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

/** Built on first use: of some fifty such rules, few are needed. */
function undecidedValue(value: string): (text: string, from: number) => number | undefined {
  let partial: RegExp | undefined;
  return (text, from) => {
    partial ??= new RegExp(`${SHORTEST_LINK}(${partialOf(value)})`, 'iy');
    partial.lastIndex = from;
    const match = partial.exec(text);
    return match === null ? undefined : from + match[0].length - (match[1] ?? '').length;
  };
}

/** Returns `SecretRule.undecidedFrom`, or its default. */
export function undecidedFrom(rule: SecretRule, text: string, from: number): number | undefined {
  if (rule.undecidedFrom !== undefined) return rule.undecidedFrom(text, from);
  return isUndecidedAt(rule.pattern, text, from) ? from : undefined;
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
