import { loadVocabulary, NO_WORD, type TokenVocabulary } from './vocabulary.ts';

const MAX_BYTES_PER_UNIT = 3;
/** Maximum length of a piece, because merge time is quadratic in the length. */
const MAX_PIECE_CHARS = 128;

const SUFFIX = "(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?";
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
/** Pattern by which `o200k_base` splits text before looking up words (openai/tiktoken, `openai_public.py`). */
const PIECES = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?${UPPER}*${LOWER}+${SUFFIX}`,
    String.raw`[^\r\n\p{L}\p{N}]?${UPPER}+${LOWER}*${SUFFIX}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join('|'),
  'gu',
);

const encoder = new TextEncoder();
const bytes = new Uint8Array(MAX_PIECE_CHARS * MAX_BYTES_PER_UNIT);
/** For each part of a piece: its start, and the rank of the word that it forms with the next part. */
const starts = new Uint32Array(bytes.length + 1);
const ranks = new Uint32Array(bytes.length + 1);
/** For each part that remains after a pass: 1 if the pass joined it. */
const joined = new Uint8Array(bytes.length + 1);

let vocabulary: TokenVocabulary | undefined;

/** Loads the vocabulary ahead of the first request. */
export function readWordsAhead(): void {
  vocabulary ??= loadVocabulary();
}

/** Counts the tokens of a text in `o200k_base`. Loads the vocabulary if necessary. */
export function countWords(text: string): number {
  vocabulary ??= loadVocabulary();
  let tokens = 0;
  for (const piece of text.match(PIECES) ?? []) {
    for (let at = 0; at < piece.length; at += MAX_PIECE_CHARS) {
      const part = piece.length <= MAX_PIECE_CHARS ? piece : piece.slice(at, at + MAX_PIECE_CHARS);
      tokens += countPiece(vocabulary, part);
    }
  }
  return tokens;
}

function countPiece(words: TokenVocabulary, piece: string): number {
  const { written } = encoder.encodeInto(piece, bytes);
  if (words.rank(bytes, 0, written) !== NO_WORD) return 1;
  return mergePairs(words, written);
}

/**
 * Joins the adjacent parts that form the lowest-ranked word, until no pair forms a word. Returns the number of tokens
 * left. A word ranks higher than its parts, so one pass from the left joins all pairs of equal rank.
 */
function mergePairs(words: TokenVocabulary, length: number): number {
  let parts = length;
  for (let part = 0; part <= parts; part++) starts[part] = part;
  for (let part = 0; part < parts; part++) ranks[part] = rankOfPair(words, part, parts);
  for (;;) {
    const lowest = lowestRank(parts);
    if (lowest === NO_WORD) return parts;
    parts = joinPairs(words, lowest, parts);
  }
}

function rankOfPair(words: TokenVocabulary, part: number, parts: number): number {
  return part + 2 > parts ? NO_WORD : words.rank(bytes, starts[part] ?? 0, starts[part + 2] ?? 0);
}

function joinPairs(words: TokenVocabulary, rank: number, parts: number): number {
  let left = 0;
  for (let part = 0; part < parts; left++) {
    const isPair = ranks[part] === rank;
    starts[left] = starts[part] ?? 0;
    ranks[left] = ranks[part] ?? NO_WORD;
    joined[left] = isPair ? 1 : 0;
    part += isPair ? 2 : 1;
  }
  starts[left] = starts[parts] ?? 0;
  for (let part = 0; part < left; part++) {
    if (joined[part] === 1 || (part + 1 < left && joined[part + 1] === 1))
      ranks[part] = rankOfPair(words, part, left);
  }
  return left;
}

function lowestRank(parts: number): number {
  let lowest: number = NO_WORD;
  for (let part = 0; part < parts; part++) {
    const rank = ranks[part] ?? NO_WORD;
    if (rank < lowest) lowest = rank;
  }
  return lowest;
}
