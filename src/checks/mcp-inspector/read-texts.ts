import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError } from '../../errors.ts';
import type { JsonPath } from '../../json/path.ts';
import { parseStrict } from '../../json/scan.ts';
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
/** Strings and member names. */
export const MAX_STRINGS = 100_000;
const MAX_WORD_CHARS = 512;
const WORD = /^[\x21-\x7e]+$/;

/**
 * Reads every string and member name of a message; undefined where they are too many. Linear, a turn for each document.
 * @param apart each text on a page of its own: they have nothing to do with each other
 */
export async function readTexts(message: unknown, apart: boolean): Promise<Texts | undefined> {
  const reader = new TextReader(apart);
  reader.docs.push({ root: message, within: undefined, depth: 0 });
  for (const doc of reader.docs) {
    if (!reader.read(doc)) return undefined;
    if (doc.within !== undefined) await nextTurn();
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
  #strings = 0;

  constructor(apart: boolean) {
    this.#apart = apart;
  }

  /** False where there is too much to read. */
  read(doc: Doc): boolean {
    const unread: Unread[] = [{ value: doc.root, path: [], holder: undefined }];
    for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
      const { value, path, holder } = next;
      if (typeof value === 'string') this.#readString(value, { doc, path }, holder);
      else if (typeof value === 'object' && value !== null) {
        for (const below of this.#membersOf(value, { doc, path }).toReversed()) unread.push(below);
      }
      if (this.#chars > MAX_CHARS || this.#strings > MAX_STRINGS) return false;
    }
    return true;
  }

  texts(): Texts {
    for (const [name, places] of this.#names) {
      const piece = { kind: 'name', text: name, places } as const;
      if (isWord(name)) this.#words.add(piece, '"', '":\n\n');
      else this.#addProse(piece);
    }
    return { prose: this.#prose.map((writer) => writer.page()), words: this.#words.page() };
  }

  #membersOf(holder: object, { doc, path }: Place): Unread[] {
    if (Array.isArray(holder)) {
      return holder.map((value: unknown, index) => ({ value, path: [...path, index], holder: undefined }));
    }
    return Object.entries(holder).map(([name, value]: [string, unknown]) => {
      const place = { doc, path: [...path, name] };
      this.#addName(name, place);
      return { value, path: place.path, holder };
    });
  }

  #readString(text: string, place: Place, holder: object | undefined): void {
    this.#count(text);
    const inner = documentIn(text, place.doc.depth);
    if (inner !== undefined) {
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
    if (!isWord(piece.text)) {
      this.#addProse(piece);
      return;
    }
    const name = piece.places[0]?.path.findLast((step) => typeof step === 'string') ?? '';
    this.#words.add(piece, `"${name}": "`, '"\n\n');
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
    this.#count(name);
  }

  #count({ length }: string): void {
    this.#chars += length;
    this.#strings += 1;
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
