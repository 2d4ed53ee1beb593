import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../errors.ts';
import { LONG_STEP, runNow, type Work } from '../turns.ts';
import { keyText, pathTo, skipString } from './spans.ts';
import { CODES } from './codes.ts';
import { WEIGHTS } from './weights.ts';
import { withoutCase } from '../text/without-case.ts';

const {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  EXPONENT,
  LARGE_EXPONENT,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  SPACE,
} = CODES;
const { PART_WORK, MANY_NAMES_WORK, FEW_MEMBERS, SPACES_PER_WORK } = WEIGHTS;

/** Deepest accepted nesting (docs/refusals.md). */
export const MAX_DEPTH = 64;

/**
 * Maximum work for one document (weights.ts): 50,000 parts or 400,000 numbers, more than the history and token array of
 * the largest agent. Keeps 2 MiB of tiny values from blocking the event loop.
 */
const MAX_WORK = 400_000;
/** Cost of a string in an array, in addition to its element. */
const TEXT_WORK = 3;

const IN_SET = -1;
const MAX_SHOWN_NAME = 30;

/**
 * Parses a JSON document that all parsers read the same way: valid UTF-8 without a byte order mark, nesting up to
 * `MAX_DEPTH`, work up to `MAX_WORK`, no repeated member names in an object (after unescaping), no names of one
 * escaped character, and no two names in the outermost object that differ only in case. Takes linear time.
 * @throws GatewayError invalid_request; the message may name members, but never shows values
 */
export function parseStrict(body: Buffer): unknown {
  return runNow(parseStrictInSteps(body));
}

/** Same as `parseStrict`, but scans and parses in separate steps. */
export function* parseStrictInSteps(body: Buffer): Work<unknown> {
  if (body.length === 0) throw invalid('The request body is empty; JSON is expected.');
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) {
    throw invalid('The request body starts with a byte order mark; send plain UTF-8.');
  }
  if (!isUtf8(body)) throw invalid('The request body is not valid UTF-8.');
  new Scanner(body).scan();
  yield LONG_STEP;
  return parseText(body);
}

function parseText(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    // The parser's message quotes the document, so only the position is passed on.
    const position = /position \d+/.exec(error instanceof Error ? error.message : '')?.[0];
    throw invalid(`The request body is not valid JSON${position === undefined ? '' : ` (at ${position})`}.`);
  }
}

/** Working memory by depth. Shared, because passes are synchronous and most bodies are short. */
const isObject = new Uint8Array(MAX_DEPTH + 1);
const memberCount = new Int32Array(MAX_DEPTH + 1);
/** Hashes and spans of the first FEW_MEMBERS names in each open object. */
const hashes = new Int32Array((MAX_DEPTH + 1) * FEW_MEMBERS);
const starts = new Int32Array((MAX_DEPTH + 1) * FEW_MEMBERS);
const ends = new Int32Array((MAX_DEPTH + 1) * FEW_MEMBERS);

/** Scans the bytes once. Leaves syntax errors to the parser. */
class Scanner {
  readonly #body: Buffer;
  /** By depth: all names of an object with many members or an escaped name, whose `memberCount` is `IN_SET`. */
  readonly #names: Set<string>[] = [];
  readonly #foldedRootNames = new Set<string>();

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** Values used for every byte are local variables, for speed. */
  scan(): void {
    const body = this.#body;
    const length = body.length;
    let depth = 0;
    let work = 0;
    let spaces = 0;
    let expectName = false;
    let i = 0;
    while (i < length) {
      const byte = body[i];
      if (byte === QUOTE) {
        if (expectName) {
          work += memberCount[depth] === IN_SET ? MANY_NAMES_WORK : PART_WORK;
          if (work > MAX_WORK) throw tooManyValues();
          i = this.#readName(i, depth);
        } else {
          if (isObject[depth] === 0) work += TEXT_WORK;
          i = skipString(body, i);
        }
        expectName = false;
        continue;
      }
      i += 1;
      if (byte === COMMA) {
        expectName = isObject[depth] === 1;
        work += 1;
        if (work > MAX_WORK) throw tooManyValues();
      } else if (byte === undefined || byte <= SPACE) {
        spaces += 1;
        if (spaces % SPACES_PER_WORK !== 0) continue;
        work += 1;
        if (work > MAX_WORK) throw tooManyValues();
      } else if (byte < OPEN_ARRAY && byte !== LARGE_EXPONENT) {
        // The most frequent case in an array of numbers.
        continue;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        work += PART_WORK;
        if (work > MAX_WORK) throw tooManyValues();
        if (depth === MAX_DEPTH)
          throw invalid(`The request body is nested more than ${MAX_DEPTH} levels deep.`);
        depth += 1;
        expectName = byte === OPEN_OBJECT;
        isObject[depth] = expectName ? 1 : 0;
        if (expectName) memberCount[depth] = 0;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (depth === 0) return;
        depth -= 1;
        expectName = false;
      } else if (byte === EXPONENT || byte === LARGE_EXPONENT) {
        // Numbers with an exponent take several times as long to parse.
        work += 1;
      }
    }
  }

  /** Adds the name whose opening quote is at `start`. Returns the offset after the closing quote. */
  #readName(start: number, depth: number): number {
    const body = this.#body;
    const length = body.length;
    let hash = 0;
    let escaped = false;
    let i = start + 1;
    for (; i < length; i += 1) {
      const byte = body[i] ?? 0;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        escaped = true;
        i += 1;
      }
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    const end = Math.min(i + 1, length);
    if (escaped && keyText(body, start, end).length === 1) throw oneEscapedCharacter();
    const fresh =
      depth === 1
        ? this.#addRootName(start, end)
        : this.#addName(depth, start, end, escaped ? undefined : hash);
    if (!fresh) throw duplicate(body, start);
    return end;
  }

  /** Returns false for a repeated name. `hash` is undefined for a name with escapes. */
  #addName(depth: number, start: number, end: number, hash: number | undefined): boolean {
    const count = memberCount[depth] ?? 0;
    if (count === IN_SET) return this.#addTo(depth, start, end);
    // An escaped name may equal one without escapes, so decoded names are compared.
    if (hash === undefined || count === FEW_MEMBERS) return this.#switchToSet(depth, start, end);
    const base = depth * FEW_MEMBERS;
    for (let slot = base; slot < base + count; slot += 1) {
      if (hashes[slot] === hash && this.#sameBytes(slot, start, end)) return false;
    }
    hashes[base + count] = hash;
    starts[base + count] = start;
    ends[base + count] = end;
    memberCount[depth] = count + 1;
    return true;
  }

  #switchToSet(depth: number, start: number, end: number): boolean {
    const base = depth * FEW_MEMBERS;
    const count = memberCount[depth] ?? 0;
    this.#names[depth] = new Set();
    memberCount[depth] = IN_SET;
    for (let slot = base; slot < base + count; slot += 1) {
      this.#addTo(depth, starts[slot] ?? 0, ends[slot] ?? 0);
    }
    return this.#addTo(depth, start, end);
  }

  #addTo(depth: number, start: number, end: number): boolean {
    const names = this.#names[depth] ?? new Set();
    const before = names.size;
    // The quote keeps numeric names away from the engine's unseeded hash of integers.
    return names.add(`"${keyText(this.#body, start, end)}`).size > before;
  }

  #addRootName(start: number, end: number): boolean {
    const before = this.#foldedRootNames.size;
    const folded = withoutCase(keyText(this.#body, start, end));
    return this.#foldedRootNames.add(`"${folded}`).size > before;
  }

  #sameBytes(slot: number, start: number, end: number): boolean {
    const otherStart = starts[slot] ?? 0;
    if ((ends[slot] ?? 0) - otherStart !== end - start) return false;
    for (let i = start, j = otherStart; i < end; i += 1, j += 1) {
      if (this.#body[i] !== this.#body[j]) return false;
    }
    return true;
  }
}

function duplicate(body: Buffer, nameStart: number): GatewayError {
  let path = '';
  for (const step of pathTo(body, nameStart)) {
    if (typeof step === 'number') path += `[${step}]`;
    else path += `${path === '' ? '' : '.'}${shownName(step)}`;
  }
  return invalid(`The request body contains the member ${path} twice; member names must be unique.`);
}

/** Hides long names, which may be data or even a secret. */
function shownName(name: string): string {
  return name.length > MAX_SHOWN_NAME ? '…' : JSON.stringify(name).slice(1, -1);
}

/** V8 may confuse names of one escaped character (docs/decisions/007). */
function oneEscapedCharacter(): GatewayError {
  return invalid('The request body has a member name that is one escaped character; use another name.');
}

function tooManyValues(): GatewayError {
  const parts = `${MAX_WORK / PART_WORK} objects, arrays and members, or ${MAX_WORK} numbers`;
  return invalid(
    `The request body has too many values: the limit is ${parts}, with little white space between them.`,
  );
}

function invalid(message: string): GatewayError {
  return new GatewayError('invalid_request', message);
}
