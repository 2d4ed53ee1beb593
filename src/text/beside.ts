import type { JsonPath } from '../json/path.ts';

/** Longer ones tell nothing of what follows them. */
const MAX_CONTEXT_CHARS = 192;
const MAX_VALUE_CHARS = 64;

/** A context as it stands before a value in JSON, which is where detectors know names from: `name": "`. */
export function contextOf(name: string | undefined): string {
  return name === undefined || name.length > MAX_CONTEXT_CHARS ? '' : `${name}": "`;
}

/** Begins as a token or a number does: what stands beside such a text may tell what it is. */
const TOKEN = /^[\s"'`([=:]{0,16}[A-Za-z0-9+/_~.%=@-]{16}/;
const NUMBER = /^[\s"'`([=:+]{0,16}\d[\d .()/-]{2}/;
/** A number that may be a card's code, and one that may be a card's. */
const SHORT_NUMBER = /^\D{0,192}\d{3}/;
const LONG_NUMBER = /(?:\d[ -]?){12}\d/;

export function mayBeTold(text: string): boolean {
  return NUMBER.test(text) || TOKEN.test(text);
}

/** A member that holds what the value of another member names: `{"name": "…", "value": "…"}`. */
const VALUE_NAME = /(?:value|val|data|secret|contents?|string|default|literal)$/i;
/** A document has values that something beside them may tell: such members, lists of texts, texts that are numbers. */
const TELLING = /(?:value|val|data|secret|contents?|string|default|literal)"\s*:|\[\s*"|:\s*"[\s(+]{0,4}\d/i;

export function mayHoldTold(json: string): boolean {
  return TELLING.test(json);
}

/** Members on either side that are looked at. */
const NEIGHBOURS = 4;

/** An object or array of a document, and where in it a text stands. */
export interface Place {
  readonly container: object;
  /** Of an object's members. */
  readonly names: readonly string[] | undefined;
  /** The number of the member or the element. */
  readonly at: number;
  /** Where the text stands in the document. */
  readonly path: JsonPath;
}

/**
 * What stands beside a text of a document and may tell what it is: the element before it in a list, the members beside
 * it and the name above them. Each is put before the text by `contextOf`.
 */
export function besideInDocument(text: string, place: Place): readonly string[] {
  if (!mayBeTold(text)) return NOTHING;
  const { container, names, at, path } = place;
  if (names === undefined) return valuesBefore(container as readonly unknown[], at);
  const name = names[at] ?? '';
  const isNumber = NUMBER.test(text);
  const isValue = VALUE_NAME.test(name);
  if (!isNumber && !isValue) return NOTHING;
  const beside: string[] = [];
  for (let index = Math.max(0, at - NEIGHBOURS); index <= at + NEIGHBOURS; index += 1) {
    const other = names[index];
    if (other === undefined || index === at) continue;
    const value = valueText((container as Readonly<Record<string, unknown>>)[other]);
    if (value !== undefined && (isValue || NUMBER.test(value)))
      beside.push(`${other}": "${value}", "${name}`);
  }
  const above = path.at(-2);
  if (isValue && typeof above === 'string') beside.push(`${above}", "${name}`);
  return beside;
}

const NOTHING: readonly string[] = [];

function valuesBefore(list: readonly unknown[], at: number): readonly string[] {
  const value = at === 0 ? undefined : valueText(list[at - 1]);
  return value === undefined ? NOTHING : [value];
}

function valueText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= MAX_VALUE_CHARS ? text : undefined;
}

/**
 * The end of what was said right before a text, where it may tell what the text is.
 * @param textsBefore called only where it may
 */
export function besideSaid(text: string, textsBefore: () => readonly string[]): readonly string[] {
  const isTold = mayBeTold(text);
  if (!isTold && !SHORT_NUMBER.test(text)) return NOTHING;
  const ends = textsBefore().map((one) => one.slice(-MAX_CONTEXT_CHARS));
  if (ends.length === 0) return NOTHING;
  const said = ends.join('", "').slice(-MAX_CONTEXT_CHARS);
  return isTold || LONG_NUMBER.test(said) || LONG_NUMBER.test(text.slice(0, MAX_CONTEXT_CHARS))
    ? [said]
    : NOTHING;
}
