import { randomUUID } from 'node:crypto';
import type { Work } from '../turns.ts';
import { countMembers, isContainer } from './count-members.ts';
import { cutsOf, type Cut } from './cuts.ts';
import { endOfString } from './skip-string.ts';

/** A document that was parsed piece by piece. */
export interface ParsedPieces {
  readonly value: unknown;
  /** Members of all its objects; fewer than are written where a name stands twice in one. */
  readonly members: number;
}

type Container = unknown[] | Record<string, unknown>;

/** Whether a text is JSON, told by parsing it. As for `parseInPieces`. */
export function* isParseable(text: string): Work<boolean> {
  try {
    yield* parseInPieces(text);
    return true;
  } catch (failure) {
    if (failure instanceof SyntaxError) return false;
    throw failure;
  }
}

/**
 * `JSON.parse` in steps, of a text that nests no deeper than its reader takes: the engine reads each piece, with brackets in
 * place of those that stand in others, and what a cut has parted is put together again.
 * @param pieceChars about how long a piece is, in UTF-16 units
 * @throws SyntaxError
 */
export function* parseInPieces(text: string, pieceChars = PIECE_CHARS): Work<ParsedPieces> {
  const cuts = yield* cutsOf(text, pieceChars);
  const pieces = new Pieces(text);
  let start: Cut | undefined;
  for (const end of [...cuts, undefined]) {
    pieces.add(start, end);
    start = end;
    // Of a millisecond or more.
    yield;
  }
  return pieces.parsed();
}

/** The most hostile, tens of thousands of objects of which each has another member, take some ten milliseconds. */
const PIECE_CHARS = 65_536;

/** Stands for the name of the member that a piece goes on in; nobody who writes a document can know it. */
const GOES_ON = randomUUID();

class Pieces {
  readonly #text: string;
  #root: unknown;
  #members = 0;
  /** Those that the last cut lies in, the outermost first. */
  #open: Container[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Adds what stands between two cuts, or the document's ends. */
  add(start: Cut | undefined, end: Cut | undefined): void {
    const from = start === undefined ? 0 : start.at + 1;
    const to = end?.at ?? this.#text.length;
    const piece = this.#text.slice(from, to);
    // A comma needs a value on either side, and brackets of ours would hide that there is none.
    if (start !== undefined && beginsClosed(piece)) throw new SyntaxError('a comma stands before a bracket');
    if (end !== undefined && endsOpen(piece)) throw new SyntaxError('a comma stands behind a bracket');
    const value: unknown = JSON.parse(opening(this.#text, start) + piece + closing(this.#text, end));
    this.#members += isContainer(value) ? countMembers(value) : 0;
    if (start === undefined) this.#root = value;
    else this.#join(value as Container, start);
    this.#open = end === undefined ? [] : this.#openAt(end, from);
  }

  parsed(): ParsedPieces {
    return { value: this.#root, members: this.#members };
  }

  /** Adds to each container that was cut what the piece goes on with in it. */
  #join(piece: Container, { levels }: Cut): void {
    let part: unknown = piece;
    for (const [depth] of levels.entries()) {
      const into = this.#open[depth];
      const isCutHere = depth === levels.length - 1;
      if (Array.isArray(part) && Array.isArray(into)) {
        for (let index = isCutHere ? 0 : 1; index < part.length; index += 1) into.push(part[index]);
        part = part[0];
      } else {
        this.#addMembers(into as Record<string, unknown>, part as Record<string, unknown>);
        part = (part as Record<string, unknown>)[GOES_ON];
      }
    }
  }

  #addMembers(into: Record<string, unknown>, part: Readonly<Record<string, unknown>>): void {
    for (const name of Object.keys(part)) {
      if (name === GOES_ON || Object.hasOwn(into, name)) this.#members -= 1;
      if (name !== GOES_ON) setOwn(into, name, part[name]);
    }
  }

  /** The containers that a cut lies in: those that were open before the piece, and those that opened within it. */
  #openAt({ levels }: Cut, from: number): Container[] {
    const open: Container[] = [];
    for (const [depth, { openedAt }] of levels.entries()) {
      const outer = levels[depth - 1];
      const holder = open[depth - 1];
      if (openedAt < from && depth < this.#open.length) open.push(this.#open[depth] as Container);
      else if (outer === undefined) open.push(this.#root as Container);
      else if (Array.isArray(holder)) open.push(holder.at(-1) as Container);
      else open.push((holder as Record<string, Container>)[this.#nameAt(outer.nameAt)] as Container);
    }
    return open;
  }

  #nameAt(start: number): string {
    return JSON.parse(this.#text.slice(start, endOfString(this.#text, start))) as string;
  }
}

/** What opens a piece that stands behind a cut. */
function opening(text: string, cut: Cut | undefined): string {
  if (cut === undefined) return '';
  const inner = cut.levels.length - 1;
  return cut.levels
    .map(({ openedAt }, depth) => {
      if (text.charAt(openedAt) === '[') return '[';
      return depth === inner ? '{' : `{"${GOES_ON}":`;
    })
    .join('');
}

/** What closes a piece that stands before a cut. */
function closing(text: string, cut: Cut | undefined): string {
  if (cut === undefined) return '';
  const brackets = cut.levels.map(({ openedAt }) => (text.charAt(openedAt) === '[' ? ']' : '}'));
  return brackets.reverse().join('');
}

const SPACE = 0x20;

/** Whether a bracket that closes is the first that stands there. */
function beginsClosed(piece: string): boolean {
  let at = 0;
  while (piece.charCodeAt(at) <= SPACE) at += 1;
  return piece.charAt(at) === ']' || piece.charAt(at) === '}';
}

/** Whether a bracket that opens is the last that stands there, or nothing does. */
function endsOpen(piece: string): boolean {
  let at = piece.length - 1;
  while (piece.charCodeAt(at) <= SPACE) at -= 1;
  return at < 0 || piece.charAt(at) === '[' || piece.charAt(at) === '{';
}

function setOwn(into: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') into[name] = value;
  else Object.defineProperty(into, name, { value, enumerable: true, configurable: true, writable: true });
}
