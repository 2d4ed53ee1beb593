import { inTurns, runNow, type Awaitable, type Work } from '../turns.ts';
import { extractBase64 } from './base64.ts';
import { resolveConfusables } from './confusables.ts';
import { collapseDelimiters } from './delimiters.ts';
import { decodeEscapes } from './escapes.ts';
import { stripInvisible } from './invisible.ts';
import { readLeet } from './leet.ts';
import type { Span } from '../text/span.ts';
import { readScripts } from './scripts.ts';
import type { StageResult, Stage } from './stage.ts';
import type { TextView } from '../inspect/offset-map.ts';
import { sliceEnd, SLICE_UNITS } from './slices.ts';
import { TRAIT } from './quick-traits.ts';
import { traitsOf } from './traits.ts';

/** Kinds of obfuscation (docs/normalization.md). */
export interface Obfuscation {
  readonly obfuscationDetected: boolean;
  readonly hasHomoglyphs: boolean;
  readonly hasInvisibleChars: boolean;
  readonly hasBase64Payloads: boolean;
  readonly hasEncodingAttacks: boolean;
  readonly hasDelimPadding: boolean;
}

export interface Normalized extends TextView {
  readonly obfuscation: Obfuscation;
}

/** Maximum number of rounds through the stages, for Base64 in Base64, or entities of lookalikes. */
const MAX_ROUNDS = 4;

/** Maximum number of decoding passes per round; `%252541` needs three. */
const MAX_DECODINGS = 4;

type Finding = Exclude<keyof Obfuscation, 'obfuscationDetected'>;

interface StageOf {
  readonly finding: Finding;
  readonly stage: Stage;
  readonly times: number;
  /** The stage leaves texts without any of these traits unchanged. */
  readonly traits: number;
}

/** Stages in the order of docs/normalization.md. Leet is read once, after all rounds. */
export const STAGES: readonly StageOf[] = [
  { finding: 'hasHomoglyphs', stage: readScripts, times: 1, traits: TRAIT.beyond },
  { finding: 'hasHomoglyphs', stage: resolveConfusables, times: 1, traits: TRAIT.beyond },
  { finding: 'hasInvisibleChars', stage: stripInvisible, times: 1, traits: TRAIT.beyond },
  {
    finding: 'hasEncodingAttacks',
    stage: decodeEscapes,
    times: MAX_DECODINGS,
    traits: TRAIT.escape | TRAIT.list | TRAIT.block,
  },
  { finding: 'hasBase64Payloads', stage: extractBase64, times: 1, traits: TRAIT.block },
  {
    finding: 'hasDelimPadding',
    stage: collapseDelimiters,
    times: 1,
    traits: TRAIT.singles | TRAIT.splits,
  },
];

/**
 * Removes obfuscation from a text in linear time. Use `normalizeAll` for long texts.
 *
 * @example normalize('I-g-n-o-r-e the rules').text; // 'Ignore the rules'
 */
export function normalize(text: string): Normalized {
  return runNow(normalizeInSteps(text));
}

function* normalizeInSteps(text: string): Work<Normalized> {
  const slices: NormalizedPart[] = [];
  for (let start = 0; start < text.length;) {
    const end = sliceEnd(text, start);
    const source = text.slice(start, end);
    const made = normalizeSlice(source);
    slices.push({ start, made, isChanged: made.text !== source });
    yield end - start;
    start = end;
  }
  return joinedSlices(slices, text);
}

/** Normalizes texts of any length, long ones in several event-loop turns. Equal short texts share one result. */
export function normalizeAll(texts: readonly string[]): Awaitable<readonly Normalized[]> {
  return inTurns(normalizeEach(texts));
}

function* normalizeEach(texts: readonly string[]): Work<readonly Normalized[]> {
  const all: Normalized[] = [];
  const repeats = new Map<string, Normalized>();
  for (const text of texts) {
    yield Math.min(text.length, SLICE_UNITS);
    const isShort = text.length <= MAX_SHARED_CHARS && !/^\d/.test(text);
    const known = isShort ? repeats.get(text) : undefined;
    if (known !== undefined) {
      all.push(known);
      continue;
    }
    const made = text.length <= SLICE_UNITS ? normalizeSlice(text) : yield* normalizeInSteps(text);
    if (isShort) repeats.set(text, made);
    all.push(made);
  }
  return all;
}

/** Longer texts share no result, nor do texts that begin with a digit, because hashes of numbers are predictable. */
const MAX_SHARED_CHARS = 64;

function normalizeSlice(source: string): Normalized {
  const pass = new Pass(source);
  const traits = traitsOf(source);
  if (traits === 0) return pass.normalized();
  // A changed text may have any trait.
  const isConcerned = (own: number): boolean => (traits & own) !== 0 || pass.text !== source;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = pass.text;
    for (const { finding, stage, times, traits: own } of STAGES) {
      if (isConcerned(own)) pass.repeat(finding, stage, times);
    }
    if (pass.text === before) break;
  }
  if (isConcerned(TRAIT.leet)) pass.apply(readLeet(pass.text));
  return pass.normalized();
}

class Pass {
  readonly #source: string;
  readonly #maps: TextView['toOriginal'][] = [];
  readonly #findings = new Set<Finding>();
  text: string;

  constructor(source: string) {
    this.#source = source;
    this.text = source;
  }

  repeat(finding: Finding, stage: Stage, times: number): void {
    for (let time = 0; time < times; time++) {
      const before = this.text;
      if (this.apply(stage(before))) this.#findings.add(finding);
      if (this.text === before) return;
    }
  }

  /** Applies the result of a stage. Returns whether it found something. */
  apply({ text, toOriginal, found }: StageResult): boolean {
    this.text = text;
    if (toOriginal !== undefined) this.#maps.push(toOriginal);
    return found;
  }

  normalized(): Normalized {
    const maps = this.#maps;
    const length = this.#source.length;
    return {
      text: this.text,
      obfuscation: obfuscation(this.#findings),
      toOriginal: (given) => {
        const { start, end } = maps.reduceRight((span, toOriginal) => toOriginal(span), given);
        return { start: Math.min(start, length), end: Math.min(end, length) };
      },
    };
  }
}

function obfuscation(findings: ReadonlySet<Finding>): Obfuscation {
  return {
    obfuscationDetected: findings.size > 0,
    hasHomoglyphs: findings.has('hasHomoglyphs'),
    hasInvisibleChars: findings.has('hasInvisibleChars'),
    hasBase64Payloads: findings.has('hasBase64Payloads'),
    hasEncodingAttacks: findings.has('hasEncodingAttacks'),
    hasDelimPadding: findings.has('hasDelimPadding'),
  };
}

interface NormalizedPart {
  readonly start: number;
  readonly made: Normalized;
  readonly isChanged: boolean;
}

function joinedSlices(slices: readonly NormalizedPart[], source: string): Normalized {
  const [only] = slices;
  if (slices.length <= 1) return only?.made ?? new Pass(source).normalized();
  const findings = new Set(
    STAGES.map(({ finding }) => finding).filter((finding) =>
      slices.some(({ made }) => made.obfuscation[finding]),
    ),
  );
  const placed = place(slices);
  return {
    // A copy would stay in memory until the request ends.
    text: slices.some(({ isChanged }) => isChanged) ? slices.map(({ made }) => made.text).join('') : source,
    obfuscation: obfuscation(findings),
    toOriginal: ({ start, end }) => ({
      start: originalAt(placed, start, 'start'),
      end: end > start ? originalAt(placed, end - 1, 'end') : originalAt(placed, start, 'start'),
    }),
  };
}

interface PlacedPart extends NormalizedPart {
  /** Offset in the normalized text. */
  readonly at: number;
}

function place(slices: readonly NormalizedPart[]): PlacedPart[] {
  let at = 0;
  return slices.map((slice) => {
    const placed = { ...slice, at };
    at += slice.made.text.length;
    return placed;
  });
}

/** Returns the start or end, in the source, of the code unit at `at` in the joined text. */
function originalAt(slices: readonly PlacedPart[], at: number, side: keyof Span): number {
  const slice = slices.findLast((part) => part.at <= at);
  if (slice === undefined) return 0;
  return slice.start + slice.made.toOriginal({ start: at - slice.at, end: at - slice.at + 1 })[side];
}
