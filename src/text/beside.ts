import type { JsonPath } from '../json/path.ts';

const MAX_CONTEXT_CHARS = 192;
const MAX_VALUE_CHARS = 64;

/** Returns a name in the form that detectors expect before a value in JSON: `name": "`. */
export function contextOf(name: string | undefined): string {
  return name === undefined || name.length > MAX_CONTEXT_CHARS ? '' : `${name}": "`;
}

/** Beginnings that look like a token or a number, which the context may identify. */
const TOKEN = /^[\s"'`([=:]{0,16}[A-Za-z0-9+/_~.%=@-]{16}/;
const NUMBER = /^[\s"'`([=:+]{0,16}\d[\d .()/-]{2}/;
const SHORT_NUMBER = /^\D{0,192}\d{3}/;
const LONG_NUMBER = /(?:\d[ -]?){12}\d/;

export function mayBeIdentified(text: string): boolean {
  return NUMBER.test(text) || TOKEN.test(text);
}

/** Names of members whose value another member names: `{"name": "…", "value": "…"}`. */
const VALUE_NAME = /(?:value|val|data|secret|contents?|string|default|literal)$/i;
/** Matches JSON with `VALUE_NAME` members, arrays that begin with a string, or members that begin with a number. */
const TELLING = /(?:value|val|data|secret|contents?|string|default|literal)"\s*:|\[\s*"|:\s*"[\s(+]{0,4}\d/i;

export function mayHoldIdentified(json: string): boolean {
  return TELLING.test(json);
}

/** Number of members considered on each side. */
const NEIGHBOURS = 4;

/** A container. `next` is the index after the member with the text. */
export interface Holder {
  readonly value: object;
  readonly names: readonly string[] | undefined;
  readonly next: number;
}

/** Returns contexts that may identify a text: the previous element, nearby members, and the name above. */
export function besideInDocument(text: string, holder: Holder, path: JsonPath): readonly string[] {
  if (!mayBeIdentified(text)) return NOTHING;
  const { value: container, names, next } = holder;
  const at = next - 1;
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

/** Returns the end of the preceding texts as context. Calls `textsBefore` only if they may identify the text. */
export function besideText(text: string, textsBefore: () => readonly string[]): readonly string[] {
  const isIdentified = mayBeIdentified(text);
  if (!isIdentified && !SHORT_NUMBER.test(text)) return NOTHING;
  const ends = textsBefore().map((before) => before.slice(-MAX_CONTEXT_CHARS));
  if (ends.length === 0) return NOTHING;
  const context = ends.join('", "').slice(-MAX_CONTEXT_CHARS);
  return isIdentified || LONG_NUMBER.test(context) || LONG_NUMBER.test(text.slice(0, MAX_CONTEXT_CHARS))
    ? [context]
    : NOTHING;
}
