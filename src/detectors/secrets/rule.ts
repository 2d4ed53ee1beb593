import { isUndecidedAt, partialOf } from './partial-pattern.ts';
import { isRandom } from './randomness.ts';

/**
 * One class of secret. A keyword makes the pattern run where it stands, and only there; this is what keeps the search
 * linear. All that is judged lies within `maxChars`, so that a text that comes in chunks is soon decided.
 */
export interface SecretRule {
  /** Reported as the finding's rule: a closed set. */
  readonly id: string;
  /**
   * `head`: the secret begins with its keyword, written exactly so. `inner`: the keyword stands within the secret.
   * `name`: the keyword names the secret that follows, as in `cohere_key = ...`. The latter two are written in lower
   * case and searched without regard to case.
   */
  readonly anchor: 'head' | 'inner' | 'name';
  readonly keywords: readonly string[];
  /** Sticky. Run at the secret's start or behind its name; its first group, or else the match, is the secret. */
  readonly pattern: RegExp;
  /** Most characters from where the pattern runs to the secret's end and what is looked at behind it. */
  readonly maxChars: number;
  /** Shannon entropy that the secret has at least, in bits a character, its prefix left out. */
  readonly minEntropy: number;
  /** `inner`: how far before the keyword the secret begins at most, and where, -1 for nowhere. */
  readonly lead?: {
    readonly maxChars: number;
    readonly startOf: (text: string, keywordStart: number) => number;
  };
  /** Only what stands at the very start of a run of word characters and hyphens: for patterns that read long runs. */
  readonly startsRun?: true;
  /** The secret goes on behind the pattern's match as one long run of such characters, and up to two `=`. */
  readonly run?: LongRun;
  /** Whether what begins at `at` may be one, from its first characters; true while there are too few of them. */
  readonly mayBegin?: (text: string, at: number) => boolean;
  /** A last look at the secret's text. */
  readonly accepts?: (secret: string) => boolean;
  /** `head`: it may stand right behind a word, as in `tokenghp_...`, where what follows its keyword passes. */
  readonly followsWord?: (body: string) => boolean;
  /**
   * Its length says where it ends: letters and digits may stand right behind it where what follows its keyword passes.
   */
  readonly precedesWord?: (body: string) => boolean;
  /** Goes on from the pattern's match to the secret's end. */
  readonly extend?: (text: string, start: number, end: number) => Extent;
  /**
   * Where in a text that ends too early to tell the secret would begin, when the pattern is run at `from`; `undefined`
   * when more text would not change what the pattern finds. By default `from`.
   */
  readonly undecidedFrom?: (text: string, from: number) => number | undefined;
}

export interface LongRun {
  /** Sticky, matches all that there are. */
  readonly characters: RegExp;
  /** Of the secret. */
  readonly maxChars: number;
}

export interface Extent {
  /** Where the secret ends; `undefined` when it is none after all. */
  readonly end: number | undefined;
  /** Whether more text could change `end`. */
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
  /** What must not follow; default a letter or digit, also behind underscores. */
  readonly notBefore?: string;
};

/** Base64 and base64url bodies end where none of their characters follows. */
export const END_OF_BASE64 = '(?![A-Za-z0-9+/=_-])';

const DEFAULT_MAX_CHARS = 512;
const DEFAULT_MIN_ENTROPY = 3;
/** Underscores that no word goes on behind are Markdown's: `_token_`, `__token__`. */
const NOT_BEFORE_NAME = '_{1,3}[A-Za-z0-9]';
const NOT_BEFORE_WORD = `(?![A-Za-z0-9]|${NOT_BEFORE_NAME})`;
/** Behind secrets of capitals and digits: a small letter ends them. */
export const NOT_BEFORE_CAPITAL = `(?![A-Z0-9]|${NOT_BEFORE_NAME})`;
/** Behind secrets of hexadecimal digits: any other letter ends them, and a word that only begins with such digits. */
export const NOT_BEFORE_HEX = `(?![a-f0-9]{1,4}(?![g-z])|${NOT_BEFORE_NAME})`;
/** Behind secrets of small letters and digits. */
export const NOT_BEFORE_SMALL = `(?![a-z0-9-]|${NOT_BEFORE_NAME})`;

/** Behind secrets of one length a short word may stand, as in `...and`; another letter or capitals make them too long. */
const SHORT_WORD = '(?:[a-z]{2,8})?';

/** Secrets of letters and digits that have one length; a word may stand right behind them or before. */
export const EXACT = {
  notBefore: `(?=${SHORT_WORD}${NOT_BEFORE_WORD})`,
  precedesWord: isRandom,
  followsWord: isRandom,
} as const satisfies Options;
/** The same of base64url. */
export const EXACT_BASE64URL = {
  ...EXACT,
  notBefore: `(?=${SHORT_WORD}(?![A-Za-z0-9_-]))`,
} as const satisfies Options;
/** The same of hexadecimal digits. */
export const EXACT_HEX = { notBefore: NOT_BEFORE_HEX, followsWord: isRandom } as const satisfies Options;

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
    keywords: prefixes,
    anchor: 'head',
    pattern: new RegExp(`(?:${prefixes.map(literal).join('|')})(?:${body})${notBefore}`, 'y'),
    maxChars: DEFAULT_MAX_CHARS,
    minEntropy: DEFAULT_MIN_ENTROPY,
    ...rest,
  };
}

/**
 * A rule for secrets that may be thousands of characters long: `prefixes`, and one run of `characters`, of which there
 * are at least `minChars`.
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
 * A pair of members may say what a secret is: `"name": "…", "value": "…"`, `- name: …` over `value: …`, and the tags of
 * XML. Between the name and what follows it as a sign.
 */
const VALUE_NAME = '\\w{0,16}(?:value|val|data|secret|contents?|string|default|literal)';
const PAIR = `(?:["'\`\\\\]{0,4}(?:,\\s{0,32}|\\s{1,32}|\\s{0,4}[:=]\\s{0,24}\\{?\\s{0,24})["'\`\\\\]{0,2}${VALUE_NAME}|<\\/\\w{1,24}>\\s{0,32}<\\w{1,24})`;
/**
 * What stands between a name and its value: the rest of the name, a closing quote or bracket, a sign of assignment
 * (or `,` of a call, `>` of a tag, the word `is`), an opening quote.
 */
const LINK = `[\\w .\\t-]{0,30}${PAIR}?["'\`\\])]{0,2}\\s{0,4}(?:=>|\\?=|:{0,3}=|[:,>]|\\|\\||\\bis(?=[\\s"'\`(\\[:=]))[=:\\s"'\`(\\[]{0,16}`;
const LINK_MAX_CHARS = 176;
/** The same, leaving as early as it can: finds the first place where a value may begin. */
const SHORTEST_LINK = `[\\w .\\t-]{0,30}?${PAIR}??["'\`\\])]{0,2}?\\s{0,4}?(?:[:,>]|=|\\bis(?=[\\s"'\`(\\[:=])|\\|\\||=>|\\?=|:{1,3}=)[=:\\s"'\`(\\[]{0,16}?`;

/** A rule for secrets without a prefix of their own: a value of the right shape that is assigned to one of `names`. */
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

/** Made when first asked for: the table has some fifty such rules, and few are met. */
function undecidedValue(value: string): (text: string, from: number) => number | undefined {
  let partial: RegExp | undefined;
  return (text, from) => {
    partial ??= new RegExp(`${SHORTEST_LINK}(${partialOf(value)})`, 'iy');
    partial.lastIndex = from;
    const match = partial.exec(text);
    return match === null ? undefined : from + match[0].length - (match[1] ?? '').length;
  };
}

/** `SecretRule.undecidedFrom`, or what it is by default. */
export function undecidedFrom(rule: SecretRule, text: string, from: number): number | undefined {
  if (rule.undecidedFrom !== undefined) return rule.undecidedFrom(text, from);
  return isUndecidedAt(rule.pattern, text, from) ? from : undefined;
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
