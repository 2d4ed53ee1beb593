import { parsedJson } from '../json/parsed.ts';
import { Walk } from '../inspect/walk.ts';
import { valueAt, type JsonPath } from '../json/path.ts';
import {
  besideInDocument,
  besideText,
  contextOf,
  mayBeIdentified,
  mayHoldIdentified,
  type Holder,
} from '../text/beside.ts';
import type { CallText, ContextReading, ContextText } from './call.ts';

export interface PlacedText extends CallText {
  readonly path: JsonPath;
  /** Whether the text belongs to a conversation, and may continue the preceding text. */
  readonly isConversation: boolean;
  /** False for the member names and numbers of the object at `path`. */
  readonly isString: boolean;
}

const TEXTS_BEFORE = 4;
/** Longer embedded documents are not parsed, because that would take a whole event-loop turn. */
const MAX_PARSED_CHARS = 262_144;
const DOCUMENT = /^\s{0,64}[[{]/;

/** Short documents are joined up to this size, because starting a search costs more than searching one. */
const MAX_JOINED_CHARS = 4_096;
const SHORT_CHARS = 256;
/** Contains a noncharacter, across which no detector matches. */
const APART = '\n\uffff\n';

/**
 * Yields a call's texts with their context, for detectors that identify values by name: arguments as a document, values
 * with adjacent names, and conversation turns after their preceding texts.
 * @param json contains the texts
 */
export function* contextReadings(json: unknown, texts: readonly PlacedText[]): Generator<ContextReading> {
  let short: PlacedDocument[] = [];
  let shortChars = 0;
  const holderOf = createHolders(json);
  for (const [index, text] of texts.entries()) {
    const reading = text.isConversation ? conversationReading(texts, index) : undefined;
    if (reading !== undefined) yield reading;
    if (text.isString) {
      if (text.argument === undefined && mayBeIdentified(text.raw)) yield namedReading(text, holderOf);
      const { raw, argument } = text;
      if (raw.length > MAX_PARSED_CHARS || !DOCUMENT.test(raw)) continue;
      yield {
        content: raw,
        argument,
        texts: () => (mayHoldIdentified(raw) ? valuesOf(parsedJson(raw), undefined) : []),
      };
      continue;
    }
    const root = valueAt(json, text.path);
    if (typeof root !== 'object' || root === null) continue;
    const document = placedDocument(root, text.path);
    if (document.text.length >= SHORT_CHARS) yield documentReading([document], text.argument);
    else {
      short.push(document);
      shortChars += document.text.length;
    }
    if (shortChars < MAX_JOINED_CHARS) continue;
    yield documentReading(short, undefined);
    short = [];
    shortChars = 0;
  }
  if (short.length > 0) yield documentReading(short, undefined);
}

function conversationReading(texts: readonly PlacedText[], index: number): ContextReading | undefined {
  const { raw = '', normalized = raw, argument } = texts[index] ?? {};
  const [name] = besideText(raw, () =>
    texts.slice(Math.max(0, index - TEXTS_BEFORE), index).map(({ raw: text }) => text),
  );
  if (name === undefined) return undefined;
  const forms = raw === normalized ? [raw] : [raw, normalized];
  const named = forms.map((text) => ({ before: contextOf(name), text }));
  return { content: undefined, argument, texts: () => named };
}

function namedReading({ raw, argument, path }: PlacedText, holderOf: HolderOf): ContextReading {
  return {
    content: undefined,
    argument,
    texts() {
      const name = path.findLast((step) => typeof step === 'string');
      const holder = holderOf(path);
      const beside = holder === undefined ? [] : besideInDocument(raw, holder, path);
      return [...(name === undefined ? [] : [name]), ...beside].map((each) => ({
        before: contextOf(each),
        text: raw,
      }));
    },
  };
}

type HolderOf = (path: JsonPath) => Holder | undefined;

/**
 * Returns a function that finds the container of a text. An object's texts arrive in sequence, so its names are indexed
 * only once.
 */
function createHolders(json: unknown): HolderOf {
  let container: unknown;
  let names: readonly string[] | undefined;
  let numbers = new Map<string, number>();
  return (path) => {
    const last = path.at(-1);
    const within = valueAt(json, path.slice(0, -1));
    if (last === undefined || typeof within !== 'object' || within === null) return undefined;
    if (within !== container) {
      container = within;
      names = Array.isArray(within) ? undefined : Object.keys(within);
      numbers = new Map(names?.map((name, number) => [name, number]));
    }
    const at = typeof last === 'number' ? last : numbers.get(last);
    return at === undefined ? undefined : { value: within, names, next: at + 1 };
  };
}

interface PlacedDocument {
  readonly root: object;
  readonly text: string;
  readonly name: string | undefined;
}

function placedDocument(root: object, path: JsonPath): PlacedDocument {
  return { root, text: JSON.stringify(root), name: path.findLast((step) => typeof step === 'string') };
}

export function objectReading(root: object, argument: JsonPath | undefined, path: JsonPath): ContextReading {
  return documentReading([placedDocument(root, path)], argument);
}

function documentReading(
  documents: readonly PlacedDocument[],
  argument: JsonPath | undefined,
): ContextReading {
  const document = documents.map(({ text }) => text).join(APART);
  return {
    // The name is JSON-encoded, so that no text and no other list of documents has the same content.
    content: documents.map(({ text, name }) => JSON.stringify(name ?? null) + text).join(APART),
    argument,
    *texts() {
      yield { before: '', text: document };
      for (const { root, text, name } of documents) if (mayHoldIdentified(text)) yield* valuesOf(root, name);
    },
  };
}

function* valuesOf(root: unknown, name: string | undefined): Generator<ContextText> {
  const walk = new Walk(root, name);
  for (let level = walk.next(); level !== undefined; level = walk.next()) {
    const { step, value, path } = walk;
    const above = typeof step === 'string' ? step : level.state;
    walk.enter(above);
    if (typeof value !== 'string') continue;
    for (const beside of besideInDocument(value, level, path))
      yield { before: contextOf(beside), text: value };
    if (typeof step === 'number' && above !== undefined) yield { before: contextOf(above), text: value };
  }
}
