import { GatewayError } from '../errors.ts';
import { LONG_STEP, type Work } from '../turns.ts';
import { countMembers, parseAtOnce, parseInPieces, type ParsedPieces } from './parse-in-pieces.ts';
import { skipWithin } from './skip-string.ts';
import { CODES } from './codes.ts';
import { STEP_CHARS, WEIGHTS } from './weights.ts';

const {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  EXPONENT,
  LARGE_EXPONENT,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} = CODES;
const { PART_WORK, MANY_NAMES_WORK, FEW_MEMBERS, SPACES_PER_WORK } = WEIGHTS;

/** Deeper than any known answer or tool argument, yet safe for recursive code. */
const MAX_ANSWER_DEPTH = 256;

/**
 * Maximum work for one answer, weighted as in `strict-parse.ts` except for strings, which are more frequent in answers
 * and partly kept in memory. Exceeds the work for the largest array of embeddings. Without a limit, 2 MiB of tiny
 * values would block the event loop for 200 ms.
 */
const MAX_ANSWER_WORK = 2_400_000;
const TEXT_WORK = 5;
/** A string with escapes takes several times as long and is copied. */
const ESCAPED_TEXT_WORK = 3;
/** Number of escapes that cost as much as one element. Six million escapes reach the limit. */
const ESCAPES_PER_WORK = 2.5;
/** Shorter texts cannot contain too many escapes. */
const MANY_ESCAPES_CHARS = 4_194_304;

export interface DocumentShape {
  readonly isTooDeep: boolean;
  readonly isTooLarge: boolean;
  /** Number of members in all objects, as written. A repeated name counts twice. */
  readonly members: number;
  /** Whether names contain escapes. Parsers may read them as other names (docs/decisions/007). */
  readonly hasEscapedNames: boolean;
}

/** Working memory by depth. Shared, because most passes are synchronous and short. */
const sharedCounts = new Int32Array(MAX_ANSWER_DEPTH + 2);

export interface ReadDocument {
  readonly text: string;
  readonly shape: DocumentShape;
  /** Undefined if the text is too deep, too large or invalid JSON. */
  readonly parsed?: ParsedPieces;
}

/** Scans a text once, even if it is not JSON. Stops if the text is too deep or too large. */
export function shapeOf(text: string): DocumentShape {
  const pass = new ShapePass(text, sharedCounts, false);
  pass.readTo(text.length);
  return pass.shape();
}

export function* shapeInSteps(text: string): Work<DocumentShape> {
  const pass = new ShapePass(text, new Int32Array(MAX_ANSWER_DEPTH + 2), true);
  for (let to = STEP_CHARS; !pass.readTo(to); to += STEP_CHARS) yield;
  return pass.shape();
}

/** @param longChars longer texts are parsed in steps, which takes more time in total */
export function* readDocument(text: string, longChars = 65_536): Work<ReadDocument> {
  const isLong = text.length > longChars;
  const shape = isLong ? yield* shapeInSteps(text) : shapeOf(text);
  if (shape.isTooDeep || shape.isTooLarge) return { text, shape };
  if (isLong) yield LONG_STEP;
  try {
    return { text, shape, parsed: isLong ? yield* parseInPieces(text) : parseAtOnce(text) };
  } catch (failure) {
    if (failure instanceof SyntaxError) return { text, shape };
    throw failure;
  }
}

class ShapePass {
  readonly #text: string;
  readonly #memberCount: Int32Array;
  readonly #hasEscapes: boolean;
  #escapes = 0;
  #nextEscape = -1;
  /** End of the range in which escapes were counted, or the end of the text if they are not counted. */
  #countedTo: number;
  #at = 0;
  #depth = 0;
  #work = 0;
  #spaces = 0;
  #members = 0;
  #hasEscapedNames = false;
  #nameStart = 0;
  #nameEnd = 0;
  #isMemberValue = false;
  #isInString = false;

  /** @param inSteps whether to count escapes; in a single step, counting takes longer than the work that it limits */
  constructor(text: string, memberCount: Int32Array, inSteps: boolean) {
    this.#text = text;
    this.#memberCount = memberCount;
    this.#hasEscapes = text.includes('\\');
    this.#countedTo = inSteps && this.#hasEscapes && text.length > MANY_ESCAPES_CHARS ? 0 : text.length;
    memberCount[0] = 0;
  }

  /** Scans up to about an offset. Returns true at the end of the text. */
  readTo(end: number): boolean {
    const text = this.#text;
    const memberCount = this.#memberCount;
    const to = Math.min(end, text.length);
    this.#countEscapes(to);
    let depth = this.#depth;
    let work = this.#work;
    let spaces = this.#spaces;
    let isMemberValue = this.#isMemberValue;
    let i = this.#isInString ? this.#skip(this.#at, to) : this.#at;
    // Ordered by frequency, with limits checked only where a container begins, because number arrays must be fast.
    while (i < to) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) {
        // Undone if a colon follows, because the string is then a name.
        if (!isMemberValue) work += TEXT_WORK;
        isMemberValue = false;
        this.#nameStart = i;
        i = this.#skip(i + 1, to);
        if (this.#hasEscapes && this.#isEscaped(this.#nameStart, i)) work += ESCAPED_TEXT_WORK;
        continue;
      }
      i += 1;
      if (code === COMMA) {
        isMemberValue = false;
        work += 1;
        continue;
      }
      if (code <= SPACE) {
        spaces += 1;
        continue;
      }
      if (code < COLON) continue;
      if (code === COLON) {
        this.#members += 1;
        const count = (memberCount[depth] ?? 0) + 1;
        memberCount[depth] = count;
        work += (count > FEW_MEMBERS ? MANY_NAMES_WORK : PART_WORK) - TEXT_WORK;
        isMemberValue = true;
        if (this.#hasEscapes) {
          this.#hasEscapedNames ||= text.slice(this.#nameStart, this.#nameEnd).includes('\\');
        }
      } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
        isMemberValue = false;
        work += PART_WORK;
        depth += 1;
        if (depth > MAX_ANSWER_DEPTH || work > MAX_ANSWER_WORK) {
          i = text.length;
          break;
        }
        memberCount[depth] = 0;
      } else if ((code === CLOSE_OBJECT || code === CLOSE_ARRAY) && depth > 0) depth -= 1;
      // Numbers with an exponent take several times as long to parse.
      else if (code === EXPONENT || code === LARGE_EXPONENT) work += 1;
    }
    this.#depth = depth;
    this.#work = work;
    this.#spaces = spaces;
    this.#isMemberValue = isMemberValue;
    this.#at = i;
    return i >= text.length && !this.#isInString;
  }

  /** Counts escapes separately, because the scan skips strings. */
  #countEscapes(to: number): void {
    const text = this.#text;
    let i = this.#countedTo;
    while (i < to) {
      if (text.charCodeAt(i) === BACKSLASH) {
        this.#escapes += 1;
        i += 1;
      }
      i += 1;
    }
    this.#countedTo = i;
  }

  #isEscaped(start: number, end: number): boolean {
    if (this.#nextEscape < start) {
      const next = this.#text.indexOf('\\', start);
      this.#nextEscape = next < 0 ? Infinity : next;
    }
    return this.#nextEscape < end;
  }

  #skip(from: number, to: number): number {
    const end = skipWithin(this.#text, from, to);
    this.#isInString = end < 0;
    return (this.#nameEnd = this.#isInString ? ~end : end);
  }

  shape(): DocumentShape {
    const work = this.#work + this.#spaces / SPACES_PER_WORK + this.#escapes / ESCAPES_PER_WORK;
    return {
      isTooDeep: this.#depth > MAX_ANSWER_DEPTH,
      isTooLarge: work > MAX_ANSWER_WORK,
      members: this.#members,
      hasEscapedNames: this.#hasEscapedNames,
    };
  }
}

/** @throws GatewayError upstream_unavailable if the document is nested too deeply or has too many parts */
export function assertParseable(text: string, shape: DocumentShape = shapeOf(text)): void {
  if (shape.isTooDeep) throw unparseable('is nested too deeply');
  if (shape.isTooLarge) throw unparseable('has too many parts');
}

export function unparseable(what: string): GatewayError {
  return new GatewayError('upstream_unavailable', `the provider sent an answer that ${what}`);
}

/**
 * Reports whether all parsers read the text as this value. The text must not contain escaped names, nor repeated names,
 * of which parsers keep the first, the last, or both.
 * @param read an earlier result of `readDocument`; ignored if it is for another text
 */
export function isUnambiguous(text: string, value: unknown, read?: ReadDocument): boolean {
  const shape = read?.text === text ? read.shape : shapeOf(text);
  const counted = read?.parsed?.value === value ? read?.parsed?.members : undefined;
  return hasAllMembers(shape, counted ?? countMembers(value));
}

/** Same as `isUnambiguous`, for a document with a known number of members. */
export function hasAllMembers(shape: DocumentShape, members: number): boolean {
  return !shape.hasEscapedNames && shape.members === members;
}
