import { GatewayError } from '../../errors.ts';
import { assertParseable, parseDocument } from '../../json/document-shape.ts';
import { isObject } from '../../json/is-object.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { JsonObject, OutputLimit, Usage } from '../provider.ts';

/** Above this a count is nonsense and read as missing (docs/budgets.md). */
export const MAX_TOKENS = 1e9;

/** The array, or nothing where the value is none: for reading answers, which never throws. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The object, or an empty one where the value is none: for reading answers, which never throws. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/**
 * A body in OpenAI's style, and where Google's switches come in one: clients write `extra_body` out, or send it as such.
 * Those that are there.
 */
export function settingsOf(body: JsonObject): readonly JsonObject[] {
  const { extra_body: extra, google } = body;
  const places = [body];
  if (isObject(google)) places.push(google);
  if (!isObject(extra)) return places;
  places.push(extra);
  if (isObject(extra.google)) places.push(extra.google);
  return places;
}

/** A shorter text cannot nest so deep that anybody minds. */
const FLAT_CHARS = 2_048;

/**
 * A frame's payload where it is JSON of more than one number or word, or undefined.
 * @throws GatewayError upstream_unavailable where it would take too long to parse
 */
export function parseJson(data: string | undefined): unknown {
  if (data === undefined || data === '') return undefined;
  if (data.length > FLAT_CHARS) assertParseable(data);
  try {
    const json = parseDocument(data);
    return typeof json === 'string' || (typeof json === 'object' && json !== null) ? json : undefined;
  } catch {
    // An unreadable event says nothing; the stream's end without usage is settled from its text.
    return undefined;
  }
}

/** A count as a provider reports it, or undefined where it is missing, negative, NaN or absurd. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_TOKENS ? Math.ceil(value) : undefined;
}

/** Usage from counts of which the first leaves cache reads and writes out. */
export function cacheApart(
  fresh: unknown,
  output: unknown,
  cacheRead: unknown,
  cacheWrite: unknown,
  for1h = 0,
): Usage | undefined {
  const freshTokens = tokenCount(fresh);
  const outputTokens = tokenCount(output);
  if (freshTokens === undefined || outputTokens === undefined) return undefined;
  const cacheReadTokens = tokenCount(cacheRead) ?? 0;
  const written = tokenCount(cacheWrite) ?? 0;
  const cacheWrite1hTokens = Math.min(for1h, written);
  return {
    inputTokens: freshTokens + cacheReadTokens + written,
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens: written - cacheWrite1hTokens,
    cacheWrite1hTokens,
  };
}

/** A body member that must be a string; null counts as absent. */
export function optionalString(body: JsonObject, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrongType(name, 'a string');
  return value;
}

export function requiredString(body: JsonObject, name: string): string {
  const value = optionalString(body, name);
  if (value === undefined || value === '') throw wrongType(name, 'a non-empty string');
  return value;
}

export function optionalArray(body: JsonObject, name: string): readonly unknown[] | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongType(name, 'an array');
  return value;
}

export function requiredArray(body: JsonObject, name: string): readonly unknown[] {
  const value = optionalArray(body, name);
  if (value === undefined) throw wrongType(name, 'an array');
  return value;
}

export function optionalObject(body: JsonObject, name: string): JsonObject | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw wrongType(name, 'an object');
  return value;
}

/** A list member that must be an object, such as one message. */
export function requiredObject(value: unknown, name: string): JsonObject {
  if (!isObject(value)) throw wrongType(name, 'an object');
  return value;
}

export function optionalBoolean(body: JsonObject, name: string): boolean {
  const value = body[name];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw wrongType(name, 'a boolean');
  return value;
}

/** A body member that must be a whole number of at least 0; null counts as absent. */
export function optionalCount(body: JsonObject, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw wrongType(name, 'a whole number of at least 0');
  }
  return value;
}

/** A set of names, which are parted by spaces. */
export function namesIn(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/**
 * Refuses a member that is one of the known ones but for its letters' case: some providers' parsers take `N` for
 * `n`, and what the gateway does not read it cannot bound.
 */
export function refuseOtherCase(body: JsonObject, isKnown: (name: string) => boolean): void {
  for (const name of Object.keys(body)) {
    // Upper-casing first folds the letters that lower-casing alone leaves apart, such as the long s.
    const folded = name.toUpperCase().toLowerCase();
    if (folded !== name && isKnown(folded)) {
      throw new GatewayError('invalid_request', `Write the request's "${folded}" in lower case.`);
    }
  }
}

/** A limit in tokens of which 0 stands for none, as in protocols that cannot tell a 0 from nothing. */
export function optionalLimit(body: JsonObject, name: string): number | undefined {
  const limit = optionalCount(body, name);
  return limit === 0 ? undefined : limit;
}

/** An output limit at `outer`, or at `outer.name`. */
export function limitAt(body: JsonObject, outer: string, name?: string): OutputLimit {
  if (name === undefined) {
    return {
      tokens: optionalLimit(body, outer),
      set: (tokens): JsonEdit[] => [{ kind: 'set', path: [outer], value: tokens }],
    };
  }
  const config = optionalObject(body, outer);
  return {
    tokens: config && optionalLimit(config, name),
    set: (tokens): JsonEdit[] =>
      config
        ? [{ kind: 'set', path: [outer, name], value: tokens }]
        : [{ kind: 'set', path: [outer], value: { [name]: tokens } }],
  };
}

function wrongType(name: string, wanted: string): GatewayError {
  return new GatewayError('invalid_request', `The request's "${name}" must be ${wanted}.`);
}
