import { randomUUID } from 'node:crypto';
import type { Work } from '../turns.ts';
import { cutsOf, type Cut } from './cuts.ts';
import { endOfString } from './skip-string.ts';
import { CODES } from './codes.ts';
import { isContainer } from './is-object.ts';
import { setOwn } from './path.ts';

const { SPACE } = CODES;

export interface ParsedPieces {
  readonly value: unknown;
  /** Number of members in all objects; repeated names count once. */
  readonly members: number;
}

type Container = unknown[] | Record<string, unknown>;

export function parseAtOnce(text: string): ParsedPieces {
  const value: unknown = JSON.parse(text);
  return { value, members: countMembers(value) };
}

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
 * Same as `JSON.parse`, in steps, for texts whose nesting has been checked. Adds brackets for the outer
 * containers to each piece, parses it with `JSON.parse`, and joins the results.
 * @param pieceChars approximate length of a piece, in UTF-16 code units
 * @throws SyntaxError
 */
export function* parseInPieces(text: string, pieceChars = PIECE_CHARS): Work<ParsedPieces> {
  const cuts = yield* cutsOf(text, pieceChars);
  const pieces = new Pieces(text);
  let start: Cut | undefined;
  for (const end of [...cuts, undefined]) {
    pieces.add(start, end);
    start = end;
    // A piece may take a millisecond or more.
    yield;
  }
  return pieces.parsed();
}

/** The most hostile piece, tens of thousands of objects with different members, takes about ten milliseconds. */
const PIECE_CHARS = 65_536;

/** Name of the member that continues from the previous piece. Random, to differ from all names in the document. */
const CONTINUED = randomUUID();

class Pieces {
  readonly #text: string;
  #root: unknown;
  #members = 0;
  /** The containers around the last cut, outermost first. */
  #open: Container[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  add(start: Cut | undefined, end: Cut | undefined): void {
    const from = start === undefined ? 0 : start.at + 1;
    const to = end?.at ?? this.#text.length;
    const piece = this.#text.slice(from, to);
    // A comma needs a value on both sides; added brackets would hide a missing one.
    if (start !== undefined && beginsClosed(piece))
      throw new SyntaxError('a comma precedes a closing bracket');
    if (end !== undefined && endsOpen(piece)) throw new SyntaxError('a comma follows an opening bracket');
    const value: unknown = JSON.parse(opening(this.#text, start) + piece + closing(this.#text, end));
    this.#members += countMembers(value);
    if (start === undefined) this.#root = value;
    else this.#join(value as Container, start);
    this.#open = end === undefined ? [] : this.#openAt(end, from);
  }

  parsed(): ParsedPieces {
    return { value: this.#root, members: this.#members };
  }

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
        part = (part as Record<string, unknown>)[CONTINUED];
      }
    }
  }

  #addMembers(into: Record<string, unknown>, part: Readonly<Record<string, unknown>>): void {
    for (const name of Object.keys(part)) {
      if (name === CONTINUED || Object.hasOwn(into, name)) this.#members -= 1;
      if (name !== CONTINUED) setOwn(into, name, part[name]);
    }
  }

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

function opening(text: string, cut: Cut | undefined): string {
  if (cut === undefined) return '';
  const inner = cut.levels.length - 1;
  return cut.levels
    .map(({ openedAt }, depth) => {
      if (text.charAt(openedAt) === '[') return '[';
      return depth === inner ? '{' : `{"${CONTINUED}":`;
    })
    .join('');
}

function closing(text: string, cut: Cut | undefined): string {
  if (cut === undefined) return '';
  const brackets = cut.levels.map(({ openedAt }) => (text.charAt(openedAt) === '[' ? ']' : '}'));
  return brackets.reverse().join('');
}

function beginsClosed(piece: string): boolean {
  let at = 0;
  while (piece.charCodeAt(at) <= SPACE) at += 1;
  return piece.charAt(at) === ']' || piece.charAt(at) === '}';
}

/** Reports whether a piece consists of white space or ends with an opening bracket. */
function endsOpen(piece: string): boolean {
  let at = piece.length - 1;
  while (piece.charCodeAt(at) <= SPACE) at -= 1;
  return at < 0 || piece.charAt(at) === '[' || piece.charAt(at) === '{';
}

/** Counts the members of all objects, including inherited ones, in a value of bounded nesting. */
export function countMembers(value: unknown): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      if (isContainer(item)) count += countMembers(item);
    }
  } else if (isContainer(value)) {
    const members = value as Readonly<Record<string, unknown>>;
    for (const name in members) {
      const item = members[name];
      count += 1;
      if (isContainer(item)) count += countMembers(item);
    }
  }
  return count;
}
