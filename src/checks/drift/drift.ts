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

/** What is remembered of a session: n-gram sets and digests, never text. */
export interface DriftState {
  /** When the session was created, Unix ms. */
  readonly createdAt: number;
  /** User turns that passed, the anchor included. */
  readonly turnCount: number;
  /** The turn that says what the session is about; undefined until there is one. */
  readonly anchor: { readonly digest: string; readonly grams: GramSet } | undefined;
  /** The anchor's answer, as the client was given it. */
  readonly answer: GramSet;
  /** What later turns that were well grounded in the anchor have added to its topic. */
  readonly widened: GramSet;
  /** The last turn that was judged and stayed on the topic. */
  readonly prior: GramSet;
  /** The short turns since one was on the topic, oldest first: each said too little to be judged by itself. */
  readonly unjudged: readonly GramSet[];
  /** The last turns that passed, oldest first. */
  readonly recentDigests: readonly string[];
}

/** What a turn that passed changes; `digest` names it, so that passing twice changes nothing. */
export interface PassedTurn {
  readonly digest: string;
  /** It anchors the session, unless another turn was quicker. */
  readonly anchor?: GramSet;
  readonly prior?: GramSet;
  /** The short turns that are unjudged from now on; left out, they stay. */
  readonly unjudged?: readonly GramSet[];
  /** To be added to what widens the anchor, while there is room. */
  readonly widen?: GramSet;
}

export interface DriftJudgement {
  /** `driftDetected` is the denial. */
  readonly facts: DriftFacts;
  readonly passed: PassedTurn;
}

/** docs/drift.md. */
const ANCHOR_WEIGHT = 0.75;
const PRIOR_WEIGHT = 0.25;

/** A turn with fewer n-grams says too little by itself to have left the topic. Chosen by measurement: docs/drift.md. */
const MIN_JUDGED_GRAMS = 18;
/**
 * Short turns are judged together with those before them that speak of the same thing, from so many n-grams on. The
 * facets of a topic that goes unnamed ("what about the oldest?") have nothing in common with each other.
 */
const MIN_AKIN_GRAMS = 16;
const MAX_UNJUDGED_TURNS = 8;
/** A first turn with fewer says nothing in particular. */
const MIN_FIRST_GRAMS = 5;
/** After a first turn that says nothing in particular, what asks for something is a topic from here on ... */
const MIN_TASK_GRAMS = 8;
/** ... and anything from here on. */
const MIN_TOPIC_GRAMS = 40;
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
  const seen = compare(state, state.anchor.grams, words, part);
  const driftScore = score(seen, settings.anchorSimilarityThreshold);
  const over = driftScore > settings.driftScoreThreshold;
  const widens = seen.originalSimilarity >= MIN_WIDENING_SIMILARITY;
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
      anchorSimilarity: seen.anchorSimilarity,
      priorSimilarity: seen.priorSimilarity,
      turnCount,
    },
    passed,
  };
}

/**
 * Whether a turn gives its session a topic. One that begins with small talk has none to leave until somebody asks
 * for something, or says a lot.
 */
function isTopic(text: string, grams: GramSet, isFirst: boolean): boolean {
  if (grams.length >= MIN_TOPIC_GRAMS) return true;
  if (isFirst) return grams.length >= MIN_FIRST_GRAMS && !isSmallTalk(text);
  return grams.length >= MIN_TASK_GRAMS && asksForSomething(text);
}

/** The n-grams that an answer adds to the anchor it answers. */
export function answerGrams(text: string): GramSet {
  return gramSet(readWordGrams(text));
}

function readWordGrams(text: string): WordGrams {
  return contentGrams(text, MAX_GRAMS);
}

function shortDigest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, DIGEST_CHARS);
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

/** `part`: of the n-grams of the turn and of the short turns before it that shared nothing, how many are the turn's. */
function compare(state: DriftState, anchor: GramSet, words: WordGrams, part: number): Comparison {
  const original = union(anchor, state.answer);
  const originalSimilarity = part * similarity(words, original);
  const widenedSimilarity = part * similarity(words, union(original, state.widened));
  return {
    originalSimilarity,
    // More n-grams leave more to chance: what the anchor alone explains is not lost by widening it.
    anchorSimilarity: Math.max(originalSimilarity, widenedSimilarity),
    priorSimilarity: part * similarity(words, state.prior),
  };
}

/** Containment beyond what an unrelated turn would have by chance. */
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

/** What of a turn is not in the anchor's topic already. */
function without(grams: GramSet, { anchor, answer, widened }: DriftState): GramSet {
  return difference(grams, [...(anchor === undefined ? [] : [anchor.grams]), answer, widened]);
}
