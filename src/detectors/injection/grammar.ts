import type { Tokens, Vocabulary } from './lexer.ts';

export type WordClasses = Readonly<Record<string, string>>;

export interface Element {
  readonly words: readonly number[];
  /** One bit per vocabulary word (`fitsWord`). */
  readonly fits: Uint32Array;
  /** Maximum number of other words before the element. */
  readonly gap: number;
  /** True for `$`, the end of a sentence. */
  readonly isEnd: boolean;
}

type Sequence = readonly Element[];

export interface Pattern<Label> {
  readonly label: Label;
  readonly sequence: Sequence;
}

export type Grammar<Label> = readonly (readonly Pattern<Label>[])[];

/**
 * Compiles patterns. A pattern is a sequence of words and classes: `IGNORE ~3 WHEN|those [of] RULES $`, where
 * `~3` allows up to three other words, `|` separates choices, `[x]` is optional, and `$` is the end of a
 * sentence. Patterns match within one sentence. The vocabulary must be frozen afterwards.
 */
export function compileGrammar<Label>(
  vocabulary: Vocabulary,
  classes: WordClasses,
  rules: readonly { readonly label: Label; readonly patterns: readonly string[] }[],
): Grammar<Label> {
  const sources = rules.flatMap(({ label, patterns }) =>
    patterns.flatMap(withoutOptions).map((source) => ({ label, symbols: symbolsOf(source) })),
  );
  // Resolves each symbol only once, because some denote hundreds of words and occur in many patterns.
  const numbersOf = wordNumbers(vocabulary, classes);
  const words = new Map<string, readonly number[]>();
  for (const symbol of new Set(sources.flatMap(({ symbols }) => symbols)))
    if (!isGap(symbol)) words.set(symbol, isEnd(symbol) ? [] : numbersOf(symbol));
  const elementOf = createElements(words, vocabulary.size + 1);
  const grammar: Pattern<Label>[][] = Array.from({ length: vocabulary.size + 1 }, () => []);
  for (const { label, symbols } of sources) {
    const pattern = { label, sequence: sequenceOf(symbols, elementOf) };
    for (const word of pattern.sequence[0]?.words ?? []) grammar[word]?.push(pattern);
  }
  return grammar;
}

export const fitsWord = ({ fits }: Element, word: number): boolean =>
  (((fits[word >>> 5] ?? 0) >>> (word & 31)) & 1) === 1;

/** Returns the index after the shortest match at token `at`, or -1. The token must match the first element. */
export const endOfMatch = (tokens: Tokens, sequence: Sequence, at: number): number =>
  matchFrom(tokens, sequence, 1, at + 1);

function matchFrom(tokens: Tokens, sequence: Sequence, element: number, at: number): number {
  const wanted = sequence[element];
  if (wanted === undefined) return at;
  if (wanted.isEnd) return at >= tokens.count || tokens.breaks[at] === 1 ? at : -1;
  const last = Math.min(tokens.count - 1, at + wanted.gap);
  for (let token = at; token <= last; token++) {
    if (tokens.breaks[token] === 1) return -1;
    if (!fitsWord(wanted, tokens.words[token] ?? 0)) continue;
    const end = matchFrom(tokens, sequence, element + 1, token + 1);
    if (end !== -1) return end;
  }
  return -1;
}

/** Expands `a [b] c` to `a b c` and `a c`. */
function withoutOptions(source: string): string[] {
  const option = /\[([^[\]]+)\]/.exec(source);
  if (option === null) return withoutEndChoices(source);
  const [whole, inner = ''] = option;
  return [source.replace(whole, inner), source.replace(whole, ' ')].flatMap(withoutOptions);
}

/** Expands `a b|$` to `a b` and `a $`, because an end is not a word. */
function withoutEndChoices(source: string): string[] {
  const choice = /(?<!\S)(\S+)\|\$/.exec(source);
  if (choice === null) return [source];
  const [whole, words = ''] = choice;
  return [source.replace(whole, words), source.replace(whole, '$$')];
}

const symbolsOf = (source: string): string[] => source.split(/\s+/).filter((symbol) => symbol !== '');

const isGap = (symbol: string): boolean => symbol.startsWith('~');

const isEnd = (symbol: string): boolean => symbol === '$';

function wordNumbers(vocabulary: Vocabulary, classes: WordClasses): (symbol: string) => readonly number[] {
  const known = new Map<string, readonly number[]>();
  function numbersOf(choice: string): readonly number[] {
    if (!/^[A-Z]/.test(choice)) return [vocabulary.add(choice)];
    const words = classes[choice];
    if (words === undefined) throw new Error(`unknown word class ${choice}`);
    return symbolsOf(words).map((word) => vocabulary.add(word));
  }
  function knownNumbersOf(choice: string): readonly number[] {
    const numbers = known.get(choice) ?? numbersOf(choice);
    known.set(choice, numbers);
    return numbers;
  }
  return (symbol) => [...new Set(symbol.split('|').flatMap(knownNumbersOf))];
}

type Elements = (symbol: string, gap: number) => Element;

/** Returns a function that creates each element only once, so that patterns share elements. */
function createElements(words: ReadonlyMap<string, readonly number[]>, wordCount: number): Elements {
  const setOf = wordSets(words, wordCount);
  const known = new Map<string, Element>();
  return (symbol, gap) => {
    const name = `~${String(gap)} ${symbol}`;
    const element = known.get(name) ?? {
      words: words.get(symbol) ?? [],
      fits: setOf(symbol),
      gap,
      isEnd: isEnd(symbol),
    };
    known.set(name, element);
    return element;
  };
}

/** Returns a function that returns the words of a symbol as a bit set. All symbols share one buffer. */
function wordSets(
  words: ReadonlyMap<string, readonly number[]>,
  wordCount: number,
): (symbol: string) => Uint32Array {
  const length = Math.ceil(wordCount / 32);
  const bits = new Uint32Array(words.size * length);
  const sets = new Map<string, Uint32Array>();
  for (const [symbol, numbers] of words) {
    const set = bits.subarray(sets.size * length, (sets.size + 1) * length);
    for (const word of numbers) set[word >>> 5] = (set[word >>> 5] ?? 0) | (1 << (word & 31));
    sets.set(symbol, set);
  }
  return (symbol) => sets.get(symbol) ?? new Uint32Array(length);
}

function sequenceOf(symbols: readonly string[], elementOf: Elements): Sequence {
  const elements: Element[] = [];
  let gap = 0;
  for (const symbol of symbols) {
    if (isGap(symbol)) {
      gap = Number(symbol.slice(1));
      continue;
    }
    elements.push(elementOf(symbol, gap));
    gap = 0;
  }
  return elements;
}
