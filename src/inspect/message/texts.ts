import { isContainer } from '../../json/is-object.ts';
import { GatewayError } from '../../errors.ts';
import type { JsonPath } from '../../json/path.ts';
import { parseStrict } from '../../json/strict-parse.ts';
import { isBlob, textsOfBlob } from '../../mcp/blob.ts';
import { isProtocolWord, PROTOCOL_NAMES } from '../../mcp/protocol-words.ts';
import { isTurnOver, nextTurn } from '../../turns.ts';
import { Joined, type PlacedSpan } from '../offset-map.ts';
import { Walk } from '../walk.ts';

/** A JSON document: the message itself, or a document in a string. */
export interface Doc {
  readonly root: unknown;
  /** Place and text of the string in the outer document; undefined for the message. */
  readonly within: (TextPlace & { readonly text: string }) | undefined;
  /** 0 for the message, up to `MAX_DOC_DEPTH`. */
  readonly depth: number;
}

/** Maximum nesting of documents in strings. Deeper documents are searched as text. */
export const MAX_DOC_DEPTH = 3;

/** Place of a value, or of the member that a name belongs to. */
export interface TextPlace {
  readonly doc: Doc;
  readonly path: JsonPath;
}

export interface MessageText {
  /** `blob`: decoded Base64. `name`: a member name. `number`: a parsed number as a string. */
  readonly kind: 'value' | 'blob' | 'name' | 'number';
  readonly text: string;
  /** One place, or several for a repeated name, which is searched once. */
  readonly places: readonly TextPlace[];
}

export type Page = Joined<MessageText>;

export type TextSpan = PlacedSpan<MessageText>;

export interface Texts {
  /** Texts of `text` members, which clients join for a model; each may be a single word. */
  readonly spoken: Page;
  /** Texts of several words, joined to find attacks that are split across texts. */
  readonly prose: readonly Page[];
  /** Single words, each after its name, which may identify a secret. */
  readonly words: Page;
  /** Base64-encoded binary data (images, audio), as written. */
  readonly unread: Page;
}

export interface ReadOptions {
  readonly apart?: boolean;
  readonly leastNumber?: number | undefined;
}

/** Maximum number of characters in a message, counting nested texts at each level. */
const MAX_CHARS = 4_194_304;
const MAX_PARTS = 200_000;
const VALUE_CHARS = 16;
const MAX_WORD_CHARS = 512;
/** Longer names do not describe their values. */
const MAX_LABEL_CHARS = 64;
const WORD = /^[\x21-\x7e]+$/;

/**
 * Collects the strings, large numbers and member names in an MCP server message, except protocol words. Returns
 * undefined if there are too many.
 */
export async function readTexts(message: unknown, options: ReadOptions = {}): Promise<Texts | undefined> {
  const reader = new TextReader(options);
  reader.docs.push({ root: message, within: undefined, depth: 0 });
  for (const doc of reader.docs) {
    await reader.read(doc);
    if (reader.hasTooMuch) return undefined;
  }
  // Joining many texts may take a whole turn.
  if (isTurnOver()) await nextTurn();
  return reader.texts;
}

class TextReader {
  /** Grows while reading, because a string may contain a document. */
  readonly docs: Doc[] = [];
  readonly texts = {
    spoken: new Joined<MessageText>(),
    prose: [] as Page[],
    words: new Joined<MessageText>(),
    unread: new Joined<MessageText>(),
  };
  readonly #apart: boolean;
  readonly #leastNumber: number;
  readonly #names = new Map<string, TextPlace[]>();
  #chars = 0;
  #parts = 0;

  constructor({ apart = false, leastNumber = Infinity }: ReadOptions) {
    this.#apart = apart;
    this.#leastNumber = leastNumber;
  }

  get hasTooMuch(): boolean {
    return this.#chars > MAX_CHARS || this.#parts > MAX_PARTS;
  }

  async read(doc: Doc): Promise<void> {
    await this.#readValue(doc.root, { doc, path: [] }, undefined);
    const walk = new Walk(doc.root, undefined);
    for (let level = walk.next(); level !== undefined && !this.hasTooMuch; level = walk.next()) {
      const { step, value, path } = walk;
      const chars = this.#chars;
      const isMember = typeof step === 'string';
      if (isMember || this.#isRead(value)) {
        const place = { doc, path: [...path] };
        if (isMember) this.#addName(step, place);
        const blob = this.#readValue(value, place, isMember ? level.value : undefined);
        if (blob !== undefined) await blob;
        walk.enter(undefined);
      }
      if (isTurnOver(VALUE_CHARS + this.#chars - chars)) await nextTurn();
    }
  }

  #isRead(value: unknown): boolean {
    if (typeof value === 'number') return Math.abs(value) >= this.#leastNumber;
    return typeof value === 'string' || isContainer(value);
  }

  /** Returns a promise for Base64, which may be long. */
  #readValue(value: unknown, place: TextPlace, holder: object | undefined): Promise<void> | undefined {
    if (!this.#isRead(value)) return undefined;
    this.#parts += 1;
    const name = place.path.findLast((step) => typeof step === 'string');
    if (typeof value === 'string') return this.#readString(value, name, place, holder);
    if (typeof value === 'number') this.#addWord(textAt('number', String(value), place), name);
    return undefined;
  }

  #readString(
    text: string,
    name: string | undefined,
    place: TextPlace,
    holder: object | undefined,
  ): Promise<void> | undefined {
    if (isProtocolWord(name, text)) return undefined;
    // The message exceeds the limit anyway, so longer texts are not parsed.
    const inner = text.length > MAX_CHARS ? undefined : documentIn(text, place.doc.depth);
    if (inner !== undefined) {
      this.#chars += text.length;
      this.docs.push({ root: inner, within: { ...place, text }, depth: place.doc.depth + 1 });
      return undefined;
    }
    const label = name === 'value' ? namedIn(holder) : name;
    const value = textAt('value', text, place);
    if (place.doc.depth === 0 && isBlob(holder, place.path)) return this.#readBlob(value, holder, label);
    this.#addText(value, label);
    return undefined;
  }

  async #readBlob(value: MessageText, holder: object | undefined, label: string | undefined): Promise<void> {
    const { asWritten, held } = await textsOfBlob(value.text, holder, MAX_CHARS);
    if (asWritten) this.#addText(value, label);
    if (held !== undefined) this.#addText({ ...value, kind: 'blob', text: held }, label);
    else if (!asWritten) addLine(this.texts.unread, value);
  }

  #addText(text: MessageText, name: string | undefined): void {
    if (!this.#apart && name === 'text') {
      this.#chars += text.text.length;
      addLine(this.texts.spoken, text);
    } else if (isPlainWord(text.text)) this.#addWord(text, name);
    else this.#addProse(text);
  }

  #addWord(text: MessageText, name = ''): void {
    this.#chars += text.text.length;
    const { words } = this.texts;
    words.separate(name.length > MAX_LABEL_CHARS ? '"' : `"${name}": "`);
    words.add(text, text.text);
    words.separate('"\n\n');
  }

  #addProse(text: MessageText): void {
    this.#chars += text.text.length;
    const { prose } = this.texts;
    const last = prose.at(-1);
    const page = last === undefined || this.#apart ? new Joined<MessageText>() : last;
    if (page !== last) prose.push(page);
    addLine(page, text);
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
    const text: MessageText = { kind: 'name', text: name, places };
    if (!isPlainWord(name)) {
      this.#addProse(text);
      return;
    }
    this.#chars += name.length;
    const { words } = this.texts;
    words.separate('"');
    words.add(text, name);
    words.separate('":\n\n');
  }
}

function textAt(kind: MessageText['kind'], text: string, place: TextPlace): MessageText {
  return { kind, text, places: [place] };
}

function addLine(page: Page, text: MessageText): void {
  page.add(text, text.text);
  page.separate('\n');
}

/** Returns the name of a variable in an array: `{"name": "COHERE_API_KEY", "value": "…"}`. */
function namedIn(holder: object = {}): string {
  const name = 'name' in holder ? holder.name : 'key' in holder ? holder.key : undefined;
  return typeof name === 'string' ? name : 'value';
}

function isPlainWord(text: string): boolean {
  return text.length <= MAX_WORD_CHARS && WORD.test(text);
}

/** Parses a JSON object or array. Returns undefined for other texts, at the depth limit, or if parsers may disagree. */
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
