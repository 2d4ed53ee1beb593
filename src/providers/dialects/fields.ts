import { GatewayError } from '../../errors.ts';
import { assertParseable } from '../../json/document-shape.ts';
import type { Frame } from '../../streams/frame.ts';
import { isObject } from '../../json/is-object.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { JsonObject, Usage } from '../dialect.ts';
import type { OutputLimit } from '../request-facts.ts';
import { withoutCase } from '../../text/without-case.ts';

/** Larger counts are treated as missing (docs/budgets.md). */
export const MAX_TOKENS = 1e9;

/** Returns the array, or an empty one for any other value. For answers, whose readers never throw. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the object, or an empty one for any other value. For answers, whose readers never throw. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/**
 * Returns the body of an OpenAI-style request and its members that may hold Google's settings: clients spell out
 * `extra_body`, or send its content.
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

/** A shorter text cannot nest deeply enough to matter. */
const FLAT_CHARS = 2_048;

/**
 * Parses a frame's payload. Returns undefined if it is invalid JSON, or only a number, boolean or null.
 * @throws GatewayError upstream_unavailable if it would take too long to parse
 */
export function parseJson({ data, document }: Pick<Frame, 'data' | 'document'>): unknown {
  if (data === undefined || data === '') return undefined;
  if (document?.text === data) {
    assertParseable(data, document.shape);
    return withText(document.parsed?.value);
  }
  if (data.length > FLAT_CHARS) assertParseable(data);
  try {
    return withText(JSON.parse(data));
  } catch {
    // An unreadable event carries nothing. If usage is missing at the end, the streamed text is settled instead.
    return undefined;
  }
}

function withText(json: unknown): unknown {
  return typeof json === 'string' || (typeof json === 'object' && json !== null) ? json : undefined;
}

/** Returns a reported token count, or undefined if it is missing, negative, NaN or absurdly large. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_TOKENS ? Math.ceil(value) : undefined;
}

/** Builds usage from an input count that excludes cache reads and writes. */
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

/** Reads a member that must be a string. Null counts as absent. */
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

/** Reads a member that must be a whole number of at least 0. Null counts as absent. */
export function optionalCount(body: JsonObject, name: string): number | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw wrongType(name, 'a whole number of at least 0');
  }
  return value;
}

export function namesIn(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Refuses known members in another letter case, since some provider parsers accept `N` for `n`. */
export function refuseOtherCase(body: JsonObject, isKnown: (name: string) => boolean): void {
  for (const name of Object.keys(body)) {
    const folded = withoutCase(name);
    if (folded !== name && isKnown(folded)) {
      throw new GatewayError('invalid_request', `Write the request's "${folded}" in lower case.`);
    }
  }
}

/** Reads a token limit where 0 means none, as in protocols that cannot distinguish 0 from absent. */
export function optionalLimit(body: JsonObject, name: string): number | undefined {
  const limit = optionalCount(body, name);
  return limit === 0 ? undefined : limit;
}

/** Reads an output limit at `outer`, or at `outer.name`. */
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
