import { GatewayError } from '../../errors.ts';
import type { Span } from '../../text/span.ts';
import { parseStrict } from '../../json/strict-parse.ts';
import { isContainer } from '../../json/count-members.ts';
import { Walk } from '../../inspect/walk.ts';
import { inTurns, isTurnOver, nextTurn, type Work } from '../../turns.ts';
import { isBlob, textsOfBlob } from '../../mcp/blob.ts';
import { isProtocolWord, PROTOCOL_NAMES } from '../../mcp/protocol-words.ts';
import { MAX_DOC_DEPTH, PageWriter, type Doc, type Page, type PageText, type TextPlace } from './page.ts';

/** All texts of a message. */
export interface Texts {
  /** Texts that clients join for a model (`text`), in pieces of a word or more. */
  readonly spoken: Page;
  /** Sentences, joined so that attacks split over several are found. */
  readonly prose: readonly Page[];
  /** Single words, each behind its name, since the name identifies a secret. */
  readonly words: Page;
  /** Base64 of other data (pictures, sounds), as written. */
  readonly unread: Page;
}

/** Characters of a message, counting nested texts each time; a message with more is not inspected. */
const MAX_CHARS = 4_194_304;
/** Strings, member names, objects and arrays. */
const MAX_PARTS = 200_000;
/** Cost of a value in addition to its text, in characters read. */
const VALUE_CHARS = 16;
const MAX_WORD_CHARS = 512;
/** Longer names do not describe their values. */
const MAX_LABEL_CHARS = 64;
const WORD = /^[\x21-\x7e]+$/;

/**
 * Reads every string and member name of a message; undefined if there is too much. Linear, in turns of the
 * event loop.
 * @param apart puts unrelated texts on pages of their own
 * @param leastNumber numbers from this one on are read too
 */
export async function readTexts(
  message: unknown,
  apart: boolean,
  leastNumber = Infinity,
): Promise<Texts | undefined> {
  const reader = new TextReader(apart, leastNumber);
  reader.docs.push({ root: message, within: undefined, depth: 0 });
  for (const doc of reader.docs) {
    await inTurns(reader.read(doc));
    if (reader.hasTooMuch) return undefined;
  }
  // Joining very many texts takes a turn.
  if (isTurnOver()) await nextTurn();
  return reader.texts();
}

class TextReader {
  /** Grows while reading, since a string may contain a document. */
  readonly docs: Doc[] = [];
  readonly #apart: boolean;
  readonly #leastNumber: number;
  readonly #spoken = new PageWriter();
  readonly #prose: PageWriter[] = [];
  readonly #words = new PageWriter();
  readonly #unread = new PageWriter();
  readonly #names = new Map<string, TextPlace[]>();
  #chars = 0;
  #parts = 0;

  constructor(apart: boolean, leastNumber: number) {
    this.#apart = apart;
    this.#leastNumber = leastNumber;
  }

  get hasTooMuch(): boolean {
    return this.#chars > MAX_CHARS || this.#parts > MAX_PARTS;
  }

  /** Stops if there is too much to read. */
  *read(doc: Doc): Work<void> {
    const walk = new Walk(doc.root, undefined);
    const blob = this.#readValue(doc.root, { doc, path: [] }, undefined);
    if (blob !== undefined) yield* blob;
    for (let level = walk.next(); level !== undefined && !this.hasTooMuch; level = walk.next()) {
      const { step, value, path } = walk;
      const chars = this.#chars;
      const isMember = typeof step === 'string';
      if (isMember || this.#isRead(value)) {
        const place = { doc, path: [...path] };
        if (isMember) this.#addName(step, place);
        const blob = this.#readValue(value, place, isMember ? level.value : undefined);
        if (blob !== undefined) yield* blob;
        walk.enter(undefined);
      }
      yield VALUE_CHARS + this.#chars - chars;
    }
  }

  texts(): Texts {
    const prose = this.#prose.map((writer) => writer.page());
    return {
      spoken: this.#spoken.page(),
      prose,
      words: this.#words.page(),
      unread: this.#unread.page(),
    };
  }

  /** Returns the work that base64 takes. */
  #readValue(value: unknown, place: TextPlace, holder: object | undefined): Work<void> | undefined {
    if (!this.#isRead(value)) return undefined;
    this.#parts += 1;
    if (typeof value === 'string') return this.#readString(value, place, holder);
    if (typeof value === 'number') this.#addNumber(value, place);
    return undefined;
  }

  #readString(text: string, place: TextPlace, holder: object | undefined): Work<void> | undefined {
    const name = place.path.findLast((step) => typeof step === 'string');
    if (isProtocolWord(name, text)) return undefined;
    const mayBeBlob = place.doc.depth === 0 && isBlob(holder, place.path);
    // Too long to be read, so it need not be parsed.
    const inner = text.length > MAX_CHARS ? undefined : documentIn(text, place.doc.depth);
    if (inner !== undefined) {
      this.#chars += text.length;
      this.docs.push({ root: inner, within: { ...place, text }, depth: place.doc.depth + 1 });
      return undefined;
    }
    const label = name === 'value' ? namedIn(holder) : name;
    if (mayBeBlob) return this.#readBlob(text, place, holder, label);
    this.#addText({ kind: 'value', text, places: [place] }, label);
    return undefined;
  }

  *#readBlob(
    text: string,
    place: TextPlace,
    holder: object | undefined,
    label: string | undefined,
  ): Work<void> {
    const { asWritten, held } = yield* textsOfBlob(text, holder, MAX_CHARS);
    if (asWritten) this.#addText({ kind: 'value', text, places: [place] }, label);
    if (held !== undefined) this.#addText({ kind: 'blob', text: held, places: [place] }, label);
    else if (!asWritten) this.#unread.add({ kind: 'value', text, places: [place] }, '', '\n');
  }

  #isRead(value: unknown): boolean {
    if (typeof value === 'number') return Math.abs(value) >= this.#leastNumber;
    return typeof value === 'string' || isContainer(value);
  }

  #addNumber(value: number, place: TextPlace): void {
    const name = place.path.findLast((step) => typeof step === 'string') ?? '';
    const text = String(value);
    this.#chars += text.length;
    const label = name.length > MAX_LABEL_CHARS ? '"' : `"${name}": "`;
    this.#words.add({ kind: 'number', text, places: [place] }, label, '"\n\n');
  }

  #addText(pageText: Omit<PageText, keyof Span>, name = ''): void {
    this.#chars += pageText.text.length;
    if (!this.#apart && name === 'text') {
      this.#spoken.add(pageText, '', '\n');
      return;
    }
    if (!isPlainWord(pageText.text)) {
      this.#addProse(pageText);
      return;
    }
    this.#words.add(pageText, name.length > MAX_LABEL_CHARS ? '"' : `"${name}": "`, '"\n\n');
  }

  #addProse(pageText: Omit<PageText, keyof Span>): void {
    const last = this.#prose.at(-1);
    const writer = last === undefined || this.#apart ? new PageWriter() : last;
    if (writer !== last) this.#prose.push(writer);
    writer.add(pageText, '', '\n');
  }

  #addName(name: string, place: TextPlace): void {
    this.#parts += 1;
    if (PROTOCOL_NAMES.has(name)) return;
    const known = this.#names.get(name);
    if (known !== undefined) {
      known.push(place);
      return;
    }
    const places = [place];
    this.#names.set(name, places);
    this.#chars += name.length;
    const pageText = { kind: 'name', text: name, places } as const;
    if (isPlainWord(name)) this.#words.add(pageText, '"', '":\n\n');
    else this.#addProse(pageText);
  }
}

/** Variables are often listed as `{"name": "COHERE_API_KEY", "value": "…"}`. */
function namedIn(holder: object = {}): string {
  const name = 'name' in holder ? holder.name : 'key' in holder ? holder.key : undefined;
  return typeof name === 'string' ? name : 'value';
}

function isPlainWord(text: string): boolean {
  return text.length <= MAX_WORD_CHARS && WORD.test(text);
}

/**
 * Returns the object or array whose JSON a text is; undefined for other texts, and if parsers may disagree
 * about it.
 */
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
