import { hash } from 'node:crypto';
import type { DriftFacts } from '../../pipeline/facts.ts';
import { contentGrams } from '../../text/content-words.ts';
import { asksForSomething, isSmallTalk } from '../../text/small-talk.ts';
import { containment, difference, gramSet, union, type GramSet, type WordGrams } from '../../text/ngrams.ts';

/** `session.drift_detection` (docs/drift.md). */
export interface DriftSettings {
  readonly minTurns: number;
  readonly anchorSimilarityThreshold: number;
  readonly driftScoreThreshold: number;
}

/** A session's stored state: n-gram sets and digests, never text. */
export interface DriftState {
  readonly createdAt: number;
  /** User turns that passed, including the anchoring turn. */
  readonly turnCount: number;
  /** The turn that sets the session's topic; undefined before that turn. */
  readonly anchor: { readonly digest: string; readonly grams: GramSet } | undefined;
  /** The answer to the anchor, as the client received it. */
  readonly answer: GramSet;
  /** N-grams that later, well-grounded turns added to the topic. */
  readonly widened: GramSet;
  /** The last judged turn that stayed on topic. */
  readonly prior: GramSet;
  /** Turns too short to judge since the last on-topic turn, oldest first. */
  readonly unjudged: readonly GramSet[];
  readonly recentDigests: readonly string[];
}

/** Changes made by a turn that passed. Repeats have the same `digest` and no effect. */
export interface PassedTurn {
  readonly digest: string;
  /** Set if the turn may become the session's anchor. The first such turn does. */
  readonly anchor?: GramSet;
  readonly prior?: GramSet;
  /** The new list of unjudged turns; absent if unchanged. */
  readonly unjudged?: readonly GramSet[];
  /** N-grams to add to the widened anchor while there is room. */
  readonly widen?: GramSet;
}

export interface DriftJudgement {
  /** Facts for policies. If the check is enabled, `driftDetected` denies the request. */
  readonly facts: DriftFacts;
  readonly passed: PassedTurn;
}

// Weights in the drift score (docs/drift.md).
const ANCHOR_WEIGHT = 0.75;
const PRIOR_WEIGHT = 0.25;

/** A turn with fewer n-grams is too short to be judged alone (measured in docs/drift.md). */
const MIN_JUDGED_GRAMS = 18;
/** Short turns are judged together with similar earlier ones if they have this many n-grams in total. */
const MIN_AKIN_GRAMS = 16;
const MAX_UNJUDGED_TURNS = 8;
/** A first turn with fewer n-grams sets no topic. */
const MIN_FIRST_GRAMS = 5;
/** After such a first turn, a request for something sets the topic if it has at least this many n-grams. */
const MIN_TASK_GRAMS = 8;
/** After such a first turn, any turn with at least this many n-grams sets the topic. */
const MIN_TOPIC_GRAMS = 40;
/** Lowest similarity at which a turn widens the anchor. A mere mention of the topic is not enough. */
const MIN_WIDENING_SIMILARITY = 0.2;
/** Maximum number of n-grams per text. A larger set would overlap with every turn. */
const MAX_GRAMS = 192;
/**
 * Unrelated English texts share about one n-gram per 2,400 in a set. This value is lower, because long texts vary more.
 */
const CHANCE_GRAMS = 1_500;
const MAX_CHANCE = 0.9;
/** 48 bits are enough to distinguish the few turns of a session. */
const DIGEST_CHARS = 12;

export const MAX_WIDENED_GRAMS = 128;
export const MAX_RECENT_TURNS = 16;

/** Judges a user turn against the session (undefined before its first turn). `passed` contains the changes to store. */
export function judgeTurn(
  state: DriftState | undefined,
  text: string,
  settings: DriftSettings,
): DriftJudgement {
  const digest = shortDigest(text);
  const words = readWordGrams(text);
  const grams = gramSet(words);
  const repeated = state?.recentDigests.includes(digest) === true;
  const turnCount = (state?.turnCount ?? 0) + (repeated ? 0 : 1);
  if (state?.anchor === undefined) {
    const anchors = isTopic(text, grams, state === undefined);
    return { facts: onTopic(turnCount), passed: anchors ? { digest, anchor: grams } : { digest } };
  }
  const isShort = grams.length < MIN_JUDGED_GRAMS;
  const akin = isShort ? state.unjudged.filter((turn) => containment(words, turn) > 0) : [];
  const evidence = akin.reduce(union, grams);
  const part = evidence.length === 0 ? 0 : grams.length / evidence.length;
  const similarities = compare(state, state.anchor.grams, words, part);
  const driftScore = score(similarities, settings.anchorSimilarityThreshold);
  const over = driftScore > settings.driftScoreThreshold;
  const widens = similarities.originalSimilarity >= MIN_WIDENING_SIMILARITY;
  const passed: PassedTurn = {
    digest,
    ...(!over && !isShort && { prior: grams }),
    ...(over ? isShort && { unjudged: latest([...state.unjudged, grams]) } : { unjudged: [] }),
    ...(widens && { widen: without(grams, state) }),
  };
  if (isShort && (akin.length === 0 || evidence.length < MIN_AKIN_GRAMS)) {
    return { facts: onTopic(turnCount), passed };
  }
  return {
    facts: {
      driftDetected: over && !repeated && turnCount >= settings.minTurns,
      driftScore,
      anchorSimilarity: similarities.anchorSimilarity,
      priorSimilarity: similarities.priorSimilarity,
      turnCount,
    },
    passed,
  };
}

/** Reports whether a turn sets a topic: a long text, a first turn beyond small talk, or a later request. */
function isTopic(text: string, grams: GramSet, isFirst: boolean): boolean {
  if (grams.length >= MIN_TOPIC_GRAMS) return true;
  if (isFirst) return grams.length >= MIN_FIRST_GRAMS && !isSmallTalk(text);
  return grams.length >= MIN_TASK_GRAMS && asksForSomething(text);
}

export function answerGrams(text: string): GramSet {
  return gramSet(readWordGrams(text));
}

function readWordGrams(text: string): WordGrams {
  return contentGrams(text, MAX_GRAMS);
}

function shortDigest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, DIGEST_CHARS);
}

/** Returns the facts of a turn that is not judged, because there is no topic yet or the turn is too short. */
function onTopic(turnCount: number): DriftFacts {
  return { driftDetected: false, driftScore: 0, anchorSimilarity: 1, priorSimilarity: 1, turnCount };
}

interface Comparison {
  /** Similarity to the anchor and its answer only. */
  readonly originalSimilarity: number;
  readonly anchorSimilarity: number;
  readonly priorSimilarity: number;
}

/** @param part the turn's share of the joint n-grams of this and earlier short turns */
function compare(state: DriftState, anchor: GramSet, words: WordGrams, part: number): Comparison {
  const original = union(anchor, state.answer);
  const originalSimilarity = part * similarity(words, original);
  const widenedSimilarity = part * similarity(words, union(original, state.widened));
  return {
    originalSimilarity,
    // Larger sets are discounted more for chance matches, but widening must not lower the similarity.
    anchorSimilarity: Math.max(originalSimilarity, widenedSimilarity),
    priorSimilarity: part * similarity(words, state.prior),
  };
}

/** Returns the share of a text, 0 to 1, that a set contains beyond chance matches. */
function similarity(words: WordGrams, set: GramSet): number {
  const chance = Math.min(MAX_CHANCE, set.length / CHANCE_GRAMS);
  return Math.max(0, (containment(words, set) - chance) / (1 - chance));
}

function score({ anchorSimilarity, priorSimilarity }: Comparison, threshold: number): number {
  const scaled = (value: number): number => (threshold === 0 ? 1 : Math.min(1, value / threshold));
  return 1 - (ANCHOR_WEIGHT * scaled(anchorSimilarity) + PRIOR_WEIGHT * scaled(priorSimilarity));
}

function latest(turns: readonly GramSet[]): readonly GramSet[] {
  return turns.filter(({ length }) => length > 0).slice(-MAX_UNJUDGED_TURNS);
}

function without(grams: GramSet, { anchor, answer, widened }: DriftState): GramSet {
  return difference(grams, [...(anchor === undefined ? [] : [anchor.grams]), answer, widened]);
}
