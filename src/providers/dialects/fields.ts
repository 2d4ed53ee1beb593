import { GatewayError } from '../../errors.ts';
import { assertParseable } from '../../json/document-shape.ts';
import type { Frame } from '../../streams/frame.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { JsonEdit } from '../../json/path.ts';
import type { Usage } from '../dialect.ts';
import type { OutputLimit } from '../request-facts.ts';
import { withoutCase } from '../../text/without-case.ts';

/** Maximum token count. Larger counts are treated as missing (docs/budgets.md). */
export const MAX_TOKENS = 1e9;

/** Returns the array, or an empty one for any other value, because answer readers never throw. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** JSON of up to this length is parsed without a check, because even the deepest nesting costs little. */
const FLAT_CHARS = 2_048;

/**
 * Returns undefined for invalid JSON, numbers, booleans and null. Throws GatewayError if the document is nested too
 * deeply or has too many parts.
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
    // If no usage is reported by the end, the streamed text is billed instead.
    return undefined;
  }
}

function withText(json: unknown): unknown {
  return typeof json === 'string' || (typeof json === 'object' && json !== null) ? json : undefined;
}

/** Returns a reported count, rounded up, or undefined if it is missing, negative, NaN or absurdly large. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= MAX_TOKENS ? Math.ceil(value) : undefined;
}

/** Returns a count that providers omit when it is zero, or undefined if it is invalid. */
export function countOrZero(value: unknown): number | undefined {
  return value === undefined || value === null ? 0 : tokenCount(value);
}

export function plainUsage(input: unknown, output: unknown): Usage | undefined {
  const inputTokens = tokenCount(input);
  const outputTokens = tokenCount(output);
  return inputTokens === undefined || outputTokens === undefined ? undefined : { inputTokens, outputTokens };
}

/** Returns usage for an input count that excludes cache reads and writes. */
export function cacheApart(
  fresh: unknown,
  output: unknown,
  cacheRead: unknown,
  cacheWrite: unknown,
  for1h = 0,
): Usage | undefined {
  const usage = plainUsage(fresh, output);
  if (usage === undefined) return undefined;
  const cacheReadTokens = tokenCount(cacheRead) ?? 0;
  const written = tokenCount(cacheWrite) ?? 0;
  const cacheWrite1hTokens = Math.min(for1h, written);
  return {
    inputTokens: usage.inputTokens + cacheReadTokens + written,
    outputTokens: usage.outputTokens,
    cacheReadTokens,
    cacheWriteTokens: written - cacheWrite1hTokens,
    cacheWrite1hTokens,
  };
}

/** Returns a function that reads a member and throws if its value fails the test. Null counts as absent. */
function optional<T>(isWanted: (value: unknown) => value is T, wanted: string) {
  return (body: JsonObject, name: string): T | undefined => {
    const value = body[name];
    if (value === undefined || value === null) return undefined;
    if (!isWanted(value)) throw wrongType(name, wanted);
    return value;
  };
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export const optionalString = optional((value) => typeof value === 'string', 'a string');
export const optionalObject = optional(isObject, 'an object');
export const optionalArray: (body: JsonObject, name: string) => readonly unknown[] | undefined = optional(
  Array.isArray,
  'an array',
);
export const optionalCount = optional(isWhole, 'a whole number of at least 0');
/** Larger counts are implausible and lose precision in arithmetic. */
export const optionalPositive = optional(
  (value): value is number => isWhole(value) && value > 0 && value <= 1e9,
  'a whole number from 1 to 1000000000',
);
const optionalFlag = optional((value) => typeof value === 'boolean', 'a boolean');

export function optionalBoolean(body: JsonObject, name: string): boolean {
  return optionalFlag(body, name) ?? false;
}

export function requiredString(body: JsonObject, name: string): string {
  const value = optionalString(body, name);
  if (value === undefined || value === '') throw wrongType(name, 'a non-empty string');
  return value;
}

export function requiredArray(body: JsonObject, name: string): readonly unknown[] {
  const value = optionalArray(body, name);
  if (value === undefined) throw wrongType(name, 'an array');
  return value;
}

export function requiredObject(value: unknown, name: string): JsonObject {
  if (!isObject(value)) throw wrongType(name, 'an object');
  return value;
}

export function namesIn(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Refuses known members in different letter case, because some provider parsers accept `N` for `n`. */
export function refuseOtherCase(body: JsonObject, isKnown: (name: string) => boolean): void {
  for (const name of Object.keys(body)) {
    const folded = withoutCase(name);
    if (folded !== name && isKnown(folded)) {
      throw new GatewayError('invalid_request', `Write the request's "${folded}" in lower case.`);
    }
  }
}

/** Reads a token limit. 0 means no limit. */
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
