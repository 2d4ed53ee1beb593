import { createHash } from 'node:crypto';
import type { DriftFacts } from '../../pipeline/facts.ts';
import { contentWords } from '../../text/content-words.ts';
import { containment, gramSet, headAndTailWords, wordGrams } from '../../text/ngrams.ts';
import type { GramSet, WordGrams } from '../../text/ngrams.ts';

/** `session.drift_detection` (SPEC "Drift"). */
export interface DriftSettings {
  readonly minTurns: number;
  readonly anchorSimilarityThreshold: number;
  readonly driftScoreThreshold: number;
}

/** What is remembered of a session: n-gram sets and digests, never text. */
export interface DriftState {
  /** When the session was created, Unix ms. */
  readonly createdAt: number;
  /** User turns that passed, the anchor included. */
  readonly turnCount: number;
  /** The first turn that says anything; undefined until there is one. */
  readonly anchor: { readonly digest: string; readonly grams: GramSet } | undefined;
  /** The anchor's answer, as the client was given it. */
  readonly answer: GramSet;
  /** What later turns that were well grounded in the anchor have added to its topic. */
  readonly widened: GramSet;
  /** The last turn that was judged and stayed on the topic. */
  readonly prior: GramSet;
  /** The last turns that passed, oldest first. */
  readonly recentDigests: readonly string[];
}

/** What a turn that passed changes; `digest` names it, so that passing twice changes nothing. */
export interface PassedTurn {
  readonly digest: string;
  /** It anchors the session, unless another turn was quicker. */
  readonly anchor?: GramSet;
  readonly prior?: GramSet;
  /** To be added to what widens the anchor, while there is room. */
  readonly widen?: GramSet;
}

export interface Judgement {
  /** `driftDetected` is the denial. */
  readonly facts: DriftFacts;
  readonly passed: PassedTurn;
}

/** SPEC "Behaviour of checks". */
const ANCHOR_WEIGHT = 0.75;
const PRIOR_WEIGHT = 0.25;

/** A turn with fewer n-grams says too little to have left the topic. Chosen by measurement: docs/drift.md. */
const MIN_JUDGED_GRAMS = 18;
/** A turn with fewer ("hi there") is no anchor. */
const MIN_ANCHOR_GRAMS = 5;
/** A turn widens the anchor where so much of it is grounded: one that names the topic in passing does not. */
const MIN_WIDENING_SIMILARITY = 0.2;
/** N-grams kept of one text; a set that held more would share something with any turn. */
const MAX_GRAMS = 192;
/** Unrelated English finds about one n-gram in a set for each 2,400 that it holds; longer texts vary more. */
const CHANCE_GRAMS = 1_500;
const MAX_CHANCE = 0.9;
/** 48 bits: enough to tell a few turns of one session apart. */
const DIGEST_CHARS = 12;

/** N-grams that may widen an anchor, and turns that are known again. */
export const MAX_WIDENED_GRAMS = 128;
export const MAX_RECENT_TURNS = 16;

/**
 * Judges the user's turn against the session so far; undefined is a session without turns. Pure: what it says of
 * a turn that then passes is in `passed`, for the store.
 */
export function judgeTurn(state: DriftState | undefined, text: string, settings: DriftSettings): Judgement {
  const digest = digestOf(text);
  const words = readWords(text);
  const grams = gramSet(words);
  const repeated = state?.recentDigests.includes(digest) === true;
  const turnCount = (state?.turnCount ?? 0) + (repeated ? 0 : 1);
  if (state?.anchor === undefined) {
    return {
      facts: onTopic(turnCount),
      passed: grams.size < MIN_ANCHOR_GRAMS ? { digest } : { digest, anchor: grams },
    };
  }
  const seen = compare(state, state.anchor.grams, words);
  const widens = seen.originalSimilarity >= MIN_WIDENING_SIMILARITY;
  const widen = widens ? { widen: without(grams, state) } : {};
  if (grams.size < MIN_JUDGED_GRAMS) return { facts: onTopic(turnCount), passed: { digest, ...widen } };
  const driftScore = score(seen, settings.anchorSimilarityThreshold);
  const over = driftScore > settings.driftScoreThreshold;
  return {
    facts: {
      driftDetected: over && !repeated && turnCount >= settings.minTurns,
      driftScore,
      anchorSimilarity: seen.anchorSimilarity,
      priorSimilarity: seen.priorSimilarity,
      turnCount,
    },
    passed: over ? { digest } : { digest, prior: grams, ...widen },
  };
}

/** The n-grams that an answer adds to the anchor it answers. */
export function answerGrams(text: string): GramSet {
  return gramSet(readWords(text));
}

function readWords(text: string): WordGrams {
  return headAndTailWords(wordGrams(contentWords(text)), MAX_GRAMS);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARS);
}

/** Of a turn that is not judged: it is the first, or says too little. */
function onTopic(turnCount: number): DriftFacts {
  return { driftDetected: false, driftScore: 0, anchorSimilarity: 1, priorSimilarity: 1, turnCount };
}

interface Comparison {
  /** With the anchor and its answer alone. */
  readonly originalSimilarity: number;
  /** With what has widened it too. */
  readonly anchorSimilarity: number;
  readonly priorSimilarity: number;
}

function compare(state: DriftState, anchor: GramSet, words: WordGrams): Comparison {
  const original = union(anchor, state.answer);
  const originalSimilarity = similarity(words, original);
  const widenedSimilarity = similarity(words, union(original, state.widened));
  return {
    originalSimilarity,
    // More n-grams leave more to chance: what the anchor alone explains is not lost by widening it.
    anchorSimilarity: Math.max(originalSimilarity, widenedSimilarity),
    priorSimilarity: similarity(words, state.prior),
  };
}

/** Containment beyond what an unrelated turn would have by chance. */
function similarity(words: WordGrams, set: GramSet): number {
  const chance = Math.min(MAX_CHANCE, set.size / CHANCE_GRAMS);
  return Math.max(0, (containment(words, set) - chance) / (1 - chance));
}

function score({ anchorSimilarity, priorSimilarity }: Comparison, threshold: number): number {
  const scaled = (value: number): number => (threshold === 0 ? 1 : Math.min(1, value / threshold));
  return 1 - (ANCHOR_WEIGHT * scaled(anchorSimilarity) + PRIOR_WEIGHT * scaled(priorSimilarity));
}

function union(one: GramSet, other: GramSet): GramSet {
  return other.size === 0 ? one : new Set([...one, ...other]);
}

/** What of a turn is not in the anchor's topic already. */
function without(grams: GramSet, { anchor, answer, widened }: DriftState): GramSet {
  return new Set(
    [...grams].filter(
      (gram) => !(anchor?.grams.has(gram) ?? false) && !answer.has(gram) && !widened.has(gram),
    ),
  );
}
