import type { Tokens, Vocabulary } from './lexer.ts';

/** Word classes by name; names are upper case. */
export type WordClasses = Readonly<Record<string, string>>;

export interface Element {
  /** 1 at the number of each word that fits. */
  readonly fits: Uint8Array;
  /** How many other words may stand before it in the sentence. */
  readonly gap: number;
  /** True for `$`: the sentence must end here. */
  readonly isEnd: boolean;
}

type Sequence = readonly Element[];

/** A pattern by name, with the words it can begin with. */
export interface Pattern<Label> {
  readonly label: Label;
  readonly sequence: Sequence;
}

/** Patterns by the number of the word that may begin them. */
export type Grammar<Label> = readonly (readonly Pattern<Label>[])[];

/**
 * Compiles patterns into a grammar. A pattern is a row of words and classes: `IGNORE ~3 WHEN|those [of] RULES $`, where
 * `~3` lets up to three other words stand between, `|` is a choice, `[x]` may be absent and `$` is a sentence's end.
 * Nothing reaches beyond a sentence. Every word must be in the vocabulary before the grammar is compiled.
 */
export function compileGrammar<Label>(
  vocabulary: Vocabulary,
  classes: WordClasses,
  rules: readonly { readonly label: Label; readonly patterns: readonly string[] }[],
): Grammar<Label> {
  const sources = rules.flatMap(({ label, patterns }) =>
    patterns.flatMap(withoutOptions).map((source) => ({ label, source })),
  );
  // Few symbols stand in many patterns, and some for hundreds of words: each is looked at once.
  const symbols = new Set(sources.flatMap(({ source }) => symbolsOf(source)).filter(isWords));
  for (const symbol of symbols) for (const word of choices(symbol, classes)) vocabulary.add(word);
  const fitsOf = wordSets(vocabulary, classes);
  const patterns = sources.map(({ label, source }) => ({ label, sequence: parseSequence(source, fitsOf) }));
  return byFirstWord(patterns, vocabulary.size + 1);
}

const NO_WORDS = new Uint8Array();

function byFirstWord<Label>(patterns: readonly Pattern<Label>[], words: number): Grammar<Label> {
  const grammar: Pattern<Label>[][] = Array.from({ length: words }, () => []);
  for (const pattern of patterns) {
    const fits = pattern.sequence[0]?.fits ?? NO_WORDS;
    for (let word = fits.indexOf(1); word !== -1; word = fits.indexOf(1, word + 1))
      grammar[word]?.push(pattern);
  }
  return grammar;
}

/** Index of the token after the shortest match of a sequence that begins at token `at`, or -1. */
export const matchAt = (tokens: Tokens, sequence: Sequence, at: number): number =>
  matchFrom(tokens, sequence, 1, at + 1);

function matchFrom(tokens: Tokens, sequence: Sequence, element: number, at: number): number {
  const wanted = sequence[element];
  if (wanted === undefined) return at;
  if (wanted.isEnd) return at >= tokens.count || tokens.breaks[at] === 1 ? at : -1;
  const last = Math.min(tokens.count - 1, at + wanted.gap);
  for (let token = at; token <= last; token++) {
    if (tokens.breaks[token] === 1) return -1;
    if (wanted.fits[tokens.words[token] ?? 0] !== 1) continue;
    const end = matchFrom(tokens, sequence, element + 1, token + 1);
    if (end !== -1) return end;
  }
  return -1;
}

/** `a [b] c` -> `a c`, `a b c`. */
function withoutOptions(source: string): string[] {
  const option = /\[([^[\]]+)\]/.exec(source);
  if (option === null) return withoutEndChoices(source);
  const [whole, inner = ''] = option;
  return [source.replace(whole, inner), source.replace(whole, ' ')].flatMap(withoutOptions);
}

/** `a b|$` -> `a b`, `a $`: the end is no word, so it cannot be in a set of words. */
function withoutEndChoices(source: string): string[] {
  const choice = /(?<!\S)(\S+)\|\$/.exec(source);
  if (choice === null) return [source];
  const [whole, words = ''] = choice;
  return [source.replace(whole, words), source.replace(whole, '$$')];
}

const symbolsOf = (source: string): string[] => source.split(/\s+/).filter((symbol) => symbol !== '');

/** False for a gap and for the end of a sentence. */
const isWords = (symbol: string): boolean => symbol !== '$' && !symbol.startsWith('~');

/** The words a symbol stands for. */
const choices = (symbol: string, classes: WordClasses): string[] =>
  symbol.split('|').flatMap((choice) => {
    if (!/^[A-Z]/.test(choice)) return [choice];
    const words = classes[choice];
    if (words === undefined) throw new Error(`no word class ${choice}`);
    return symbolsOf(words);
  });

/** The set of words of a symbol; made once, for many patterns share their classes. */
function wordSets(vocabulary: Vocabulary, classes: WordClasses): (symbol: string) => Uint8Array {
  const known = new Map<string, Uint8Array>();
  return (symbol) => {
    const found = known.get(symbol);
    if (found !== undefined) return found;
    const fits = new Uint8Array(vocabulary.size + 1);
    if (symbol !== '$') for (const word of choices(symbol, classes)) fits[vocabulary.add(word)] = 1;
    known.set(symbol, fits);
    return fits;
  };
}

function parseSequence(source: string, fitsOf: (symbol: string) => Uint8Array): Sequence {
  const elements: Element[] = [];
  let gap = 0;
  for (const symbol of symbolsOf(source)) {
    if (symbol.startsWith('~')) {
      gap = Number(symbol.slice(1));
      continue;
    }
    elements.push({ fits: fitsOf(symbol), gap, isEnd: symbol === '$' });
    gap = 0;
  }
  return elements;
}
