import { addAll } from '../../add-all.ts';
import { isObject } from '../../json/is-object.ts';

/** Size limit of the masked result that an agent gets instead of an answer. */
const MAX_BYTES = 16_384;
/** Minimum size of a value: one character and a separator. */
const LEAST_BYTES = 2;
/** Strings are cut to the first of these lengths with which the whole fits. */
const STRING_CHARS = [8_192, 2_048, 512, 128, 32] as const;
const CUT = '… [cut]';

/**
 * Returns the result (or error) of a message in at most 16 KiB of JSON; undefined if even its structure is
 * larger. `message` has no secrets any more.
 */
export function maskedResult(message: unknown): unknown {
  if (!isObject(message)) return undefined;
  const result = Object.hasOwn(message, 'result') ? message['result'] : message['error'];
  if (fits(result)) return result;
  for (const maxChars of STRING_CHARS) {
    const shorter = withShortTexts(result, maxChars);
    if (fits(shorter)) return shorter;
  }
  return undefined;
}

/**
 * Returns false if a message's result is too long even with empty strings, so that it need not be masked
 * first.
 */
export function mayBeShown(message: unknown): boolean {
  if (!isObject(message)) return false;
  const unread: unknown[] = [message['result'], message['error']];
  for (let values = 0; unread.length > 0; values += 1) {
    if ((values + unread.length) * LEAST_BYTES > MAX_BYTES) return false;
    const value = unread.pop();
    if (typeof value !== 'object' || value === null) continue;
    const below: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (below.length * LEAST_BYTES > MAX_BYTES) return false;
    addAll(unread, below);
  }
  return true;
}

function fits(value: unknown): boolean {
  if (value === undefined || leastBytes(value) > MAX_BYTES) return false;
  return Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES;
}

/** Returns a lower bound of a value's JSON size; stops counting once it is too long. */
function leastBytes(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let bytes = Array.isArray(value) ? 0 : Object.keys(value).join('').length;
  for (const below of Array.isArray(value) ? (value as unknown[]) : Object.values(value)) {
    if (bytes > MAX_BYTES) break;
    bytes += leastBytes(below);
  }
  return bytes;
}

function withShortTexts(value: unknown, maxChars: number): unknown {
  if (typeof value === 'string') {
    return value.length <= maxChars ? value : `${value.slice(0, maxChars).toWellFormed()}${CUT}`;
  }
  if (Array.isArray(value)) return value.map((element) => withShortTexts(element, maxChars));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, below]) => [name, withShortTexts(below, maxChars)]),
  );
}
