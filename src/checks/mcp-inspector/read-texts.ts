import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError } from '../../errors.ts';
import type { JsonPath } from '../../json/path.ts';
import { parseStrict } from '../../json/scan.ts';
import { isObject, type JsonObject } from './answer-shape.ts';
import { isBlob, textOfBlob } from './blob.ts';
import { MAX_DOC_DEPTH, PageWriter, type Doc, type Page, type Piece, type Place } from './page.ts';

/** Everything that a message says. */
export interface Texts {
  /** Sentences: all texts on one page, one after the other, so that what is split over several is found. */
  readonly prose: readonly Page[];
  /** Single words, each behind its name, for the name of a secret tells what it is. */
  readonly words: Page;
}

/** Characters of a message, texts within texts counted each time; one with more is not inspected. */
export const MAX_CHARS = 4_194_304;
/** Strings, member names, objects and arrays. */
export const MAX_PARTS = 100_000;
/** Done in one turn: a value is one, and so are 32 characters of a document in a string. */
const TURN_WORK = 8_192;
const WORK_CHARS = 32;
const MAX_WORD_CHARS = 512;
/** Longer names tell nothing of their values. */
const MAX_LABEL_CHARS = 64;
const WORD = /^[\x21-\x7e]+$/;

/**
 * Reads every string and member name of a message; undefined where there is too much to read. Linear, in turns.
 * @param apart each text on a page of its own: they have nothing to do with each other
 */
export async function readTexts(message: unknown, apart: boolean): Promise<Texts | undefined> {
  const reader = new TextReader(apart);
  reader.docs.push({ root: message, within: undefined, depth: 0 });
  for (const doc of reader.docs) {
    for (const _step of reader.read(doc)) await nextTurn();
    if (reader.hasTooMuch) return undefined;
  }
  return reader.texts();
}

/** A value still to be read, and what holds it. */
interface Unread {
  readonly value: unknown;
  readonly path: JsonPath;
  readonly holder: object | undefined;
}

class TextReader {
  /** Grows while it is read: a string may hold a document. */
  readonly docs: Doc[] = [];
  readonly #apart: boolean;
  readonly #prose: PageWriter[] = [];
  readonly #words = new PageWriter();
  readonly #names = new Map<string, Place[]>();
  #chars = 0;
  #parts = 0;
  #work = 0;

  constructor(apart: boolean) {
    this.#apart = apart;
  }

  get hasTooMuch(): boolean {
    return this.#chars > MAX_CHARS || this.#parts > MAX_PARTS;
  }

  /** Yields where a turn is over; stops where there is too much to read. */
  *read(doc: Doc): Generator<undefined, void> {
    const unread: Unread[] = [{ value: doc.root, path: [], holder: undefined }];
    for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
      const place = { doc, path: next.path };
      if (typeof next.value === 'string') this.#readString(next.value, place, next.holder);
      else if (Array.isArray(next.value)) this.#openArray(next.value, place, unread);
      else if (isObject(next.value)) this.#openObject(next.value, place, unread);
      if (this.hasTooMuch) return;
      this.#work += 1;
      if (this.#work < TURN_WORK) continue;
      this.#work = 0;
      yield;
    }
  }

  texts(): Texts {
    for (const [name, places] of this.#names) {
      const piece = { kind: 'name', text: name, places } as const;
      if (isWord(name)) this.#words.add(piece, '"', '":\n\n');
      else this.#addProse(piece);
    }
    return { prose: this.#prose.map((writer) => writer.page()), words: this.#words.page() };
  }

  /** The last first, since the last one put there is read next. */
  #openArray(array: readonly unknown[], { path }: Place, unread: Unread[]): void {
    for (let index = array.length - 1; index >= 0 && !this.hasTooMuch; index -= 1) {
      const value = array[index];
      if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) continue;
      this.#parts += 1;
      unread.push({ value, path: [...path, index], holder: undefined });
    }
  }

  #openObject(holder: JsonObject, { doc, path }: Place, unread: Unread[]): void {
    for (const [name, value] of Object.entries(holder).toReversed()) {
      this.#parts += 1;
      const place = { doc, path: [...path, name] };
      this.#addName(name, place);
      unread.push({ value, path: place.path, holder });
      if (this.hasTooMuch) return;
    }
  }

  #readString(text: string, place: Place, holder: object | undefined): void {
    const inner = documentIn(text, place.doc.depth);
    if (inner !== undefined) {
      this.#chars += text.length;
      this.#work += text.length / WORK_CHARS;
      this.docs.push({ root: inner, within: { ...place, text }, depth: place.doc.depth + 1 });
      return;
    }
    const mayBeBlob = place.doc.depth === 0 && isBlob(holder, place.path);
    const blob = mayBeBlob ? textOfBlob(text, holder) : undefined;
    if (blob === 'no text') return;
    if (blob === undefined) this.#addText({ kind: 'value', text, places: [place] });
    else this.#addText({ kind: 'blob', text: blob, places: [place] });
  }

  #addText(piece: Omit<Piece, 'start'>): void {
    this.#chars += piece.text.length;
    if (!isWord(piece.text)) {
      this.#addProse(piece);
      return;
    }
    const name = piece.places[0]?.path.findLast((step) => typeof step === 'string') ?? '';
    this.#words.add(piece, name.length > MAX_LABEL_CHARS ? '"' : `"${name}": "`, '"\n\n');
  }

  #addProse(piece: Omit<Piece, 'start'>): void {
    const last = this.#prose.at(-1);
    const writer = last === undefined || this.#apart ? new PageWriter() : last;
    if (writer !== last) this.#prose.push(writer);
    writer.add(piece, '', '\n');
  }

  #addName(name: string, place: Place): void {
    const places = this.#names.get(name);
    if (places !== undefined) {
      places.push(place);
      return;
    }
    this.#names.set(name, [place]);
    this.#chars += name.length;
  }
}

function isWord(text: string): boolean {
  return text.length <= MAX_WORD_CHARS && WORD.test(text);
}

/** The object or array that a text is the JSON of; undefined for any other, also where parsers may read it differently. */
function documentIn(text: string, depth: number): unknown {
  if (depth >= MAX_DOC_DEPTH) return undefined;
  const trimmed = text.trim();
  const isBracketed =
    (trimmed.startsWith('{') && trimmed.endsWith('}')) || (trimmed.startsWith('[') && trimmed.endsWith(']'));
  if (!isBracketed || !text.isWellFormed()) return undefined;
  try {
    return parseStrict(Buffer.from(text));
  } catch (failure) {
    if (failure instanceof GatewayError) return undefined;
    throw failure;
  }
}
