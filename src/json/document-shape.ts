import { GatewayError } from '../errors.ts';
import { LONG_STEP, type Work } from '../turns.ts';
import { countMembers, isContainer } from './count-members.ts';
import { parseInPieces, type ParsedPieces } from './parse-in-pieces.ts';
import { skipWithin } from './skip-string.ts';

/** Deeper than any dialect's answers, tool arguments included; what walks through a document may recurse so deep. */
const MAX_ANSWER_DEPTH = 256;

/**
 * The work that one answer may make, in units of one array element, weighed as in `scan.ts` but for texts: more are read
 * here, and what is noted of each lives long enough to be collected in one pause. 2 MiB of tiny values would hold up the
 * event loop for a fifth of a second. Above the largest list of vectors.
 */
const MAX_ANSWER_WORK = 2_400_000;
const PART_WORK = 8;
const MANY_NAMES_WORK = 24;
const TEXT_WORK = 5;
/** A text with escapes is read several times as long as one without, and is copied where others are only found. */
const ESCAPED_TEXT_WORK = 3;
const FEW_MEMBERS = 16;
const BLANKS_OF_WORK = 16;
/** Reading an escape takes as long as two fifths of an element: six million of them are all the work there may be. */
const ESCAPES_OF_WORK = 2.5;
/** Shorter texts do not hold so many that it matters. */
const MANY_ESCAPES_CHARS = 4_194_304;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const LARGE_EXPONENT = 0x45;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const EXPONENT = 0x65;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What a text would be as a JSON document, told without parsing it. */
export interface DocumentShape {
  readonly isTooDeep: boolean;
  /** Parsing it would take too long. */
  readonly isTooLarge: boolean;
  /** Members of all its objects, as written; a name that stands twice counts twice. */
  readonly members: number;
  /** A name that is spelled with escapes may be read as another (docs/decisions/007). */
  readonly hasEscapedNames: boolean;
}

/** Working memory of a pass, by depth; shared, because most are synchronous and small documents are many. */
const sharedCounts = new Int32Array(MAX_ANSWER_DEPTH + 2);

interface Told {
  readonly shape: DocumentShape;
  /** Undefined where it was not parsed, `failure` where it could not be. */
  document?: ParsedPieces;
  failure?: SyntaxError;
  /** The document is given away once: whoever wants another may want to change it. */
  isGiven?: true;
}

/** What is known of long texts, for those who ask for it one after the other. */
const told = new Map<string, Told>();

/** One pass over the text, which need not be JSON. Stops where it is too deep or too large. */
export function shapeOf(text: string): DocumentShape {
  const known = told.size === 0 ? undefined : told.get(text);
  if (known !== undefined) return known.shape;
  const pass = new ShapePass(text, sharedCounts, false);
  pass.readTo(text.length);
  return pass.shape();
}

const STEP_CHARS = 262_144;

/** The same of a long text, which yields where others may get a turn. */
export function* shapeInSteps(text: string): Work<DocumentShape> {
  const pass = new ShapePass(text, new Int32Array(MAX_ANSWER_DEPTH + 2), true);
  for (let to = STEP_CHARS; !pass.readTo(to); to += STEP_CHARS) yield;
  return pass.shape();
}

/**
 * Reads a long text in steps, so that whoever asks for its shape next, or parses it, is told at once; until it is
 * forgotten.
 */
export function* tellDocument(text: string): Work<void> {
  const shape = yield* shapeInSteps(text);
  const known: Told = { shape };
  told.set(text, known);
  if (shape.isTooDeep || shape.isTooLarge) return;
  yield LONG_STEP;
  try {
    known.document = yield* parseInPieces(text);
  } catch (failure) {
    // Whoever parses it next is told the same.
    if (!(failure instanceof SyntaxError)) throw failure;
    known.failure = failure;
  }
}

export function forgetDocument(text: string): void {
  told.delete(text);
}

/** @throws SyntaxError */
export function parseDocument(text: string): unknown {
  const known = told.size === 0 ? undefined : told.get(text);
  if (known?.failure !== undefined) throw known.failure;
  if (known?.document === undefined || known.isGiven === true) return JSON.parse(text);
  known.isGiven = true;
  return known.document.value;
}

class ShapePass {
  readonly #text: string;
  readonly #memberCount: Int32Array;
  readonly #hasEscapes: boolean;
  #escapes = 0;
  /** The first that stands where was not looked yet. */
  #nextEscape = -1;
  /** Up to where escapes were counted; beyond the text where they are not. */
  #countedTo: number;
  #at = 0;
  #depth = 0;
  #work = 0;
  #blanks = 0;
  #members = 0;
  #hasEscapedNames = false;
  #nameStart = 0;
  #nameEnd = 0;
  #isMemberValue = false;
  #isInString = false;

  /** @param inSteps escapes are counted: all at once it would take longer than what it is to bound */
  constructor(text: string, memberCount: Int32Array, inSteps: boolean) {
    this.#text = text;
    this.#memberCount = memberCount;
    this.#hasEscapes = text.includes('\\');
    this.#countedTo = inSteps && this.#hasEscapes && text.length > MANY_ESCAPES_CHARS ? 0 : text.length;
    memberCount[0] = 0;
  }

  /** Reads on to an offset, or to the end of the string that is there; true where there is no more to read. */
  readTo(end: number): boolean {
    const text = this.#text;
    const memberCount = this.#memberCount;
    const to = Math.min(end, text.length);
    this.#countEscapes(to);
    let depth = this.#depth;
    let work = this.#work;
    let blanks = this.#blanks;
    let isMemberValue = this.#isMemberValue;
    let i = this.#isInString ? this.#skip(this.#at, to) : this.#at;
    // The commonest first, and bounds only where a part begins: what a list of numbers costs is here.
    while (i < to) {
      const code = text.charCodeAt(i);
      if (code === QUOTE) {
        // Of a name it is taken back where its colon stands.
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
        blanks += 1;
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
      // A number with an exponent is read several times as long as one without.
      else if (code === EXPONENT || code === LARGE_EXPONENT) work += 1;
    }
    this.#depth = depth;
    this.#work = work;
    this.#blanks = blanks;
    this.#isMemberValue = isMemberValue;
    this.#at = i;
    return i >= text.length && !this.#isInString;
  }

  /** By themselves, since strings are skipped without a look at what is in them. */
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

  /** Reads on in a string, as far as this step goes. */
  #skip(from: number, to: number): number {
    const end = skipWithin(this.#text, from, to);
    this.#isInString = end < 0;
    return (this.#nameEnd = this.#isInString ? ~end : end);
  }

  shape(): DocumentShape {
    const work = this.#work + this.#blanks / BLANKS_OF_WORK + this.#escapes / ESCAPES_OF_WORK;
    return {
      isTooDeep: this.#depth > MAX_ANSWER_DEPTH,
      isTooLarge: work > MAX_ANSWER_WORK,
      members: this.#members,
      hasEscapedNames: this.#hasEscapedNames,
    };
  }
}

/**
 * Refuses a document of a provider's that would hold up the event loop.
 * @throws GatewayError upstream_unavailable
 */
export function assertParseable(text: string, shape: DocumentShape = shapeOf(text)): void {
  if (shape.isTooDeep) throw unparseable('is nested too deep');
  if (shape.isTooLarge) throw unparseable('has too many parts');
}

/** What a provider sent cannot be read without holding up everybody else. */
export function unparseable(what: string): GatewayError {
  return new GatewayError('upstream_unavailable', `the provider sent an answer that ${what}`);
}

/**
 * Whether a parsed document holds all that its text says, each member under one name that every parser reads alike.
 * Of a name that stands twice, parsers keep the first, the last or both.
 */
export function saysAll(text: string, parsed: unknown): boolean {
  const document = told.size === 0 ? undefined : told.get(text)?.document;
  const members = document?.value === parsed ? document?.members : undefined;
  return hasAllMembers(shapeOf(text), members ?? (isContainer(parsed) ? countMembers(parsed) : 0));
}

/** The same, of a document with so many members in all its objects. */
export function hasAllMembers(shape: DocumentShape, members: number): boolean {
  return !shape.hasEscapedNames && shape.members === members;
}
