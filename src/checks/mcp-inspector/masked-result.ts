import { addAll } from '../../add-all.ts';
import { isObject } from '../../json/is-object.ts';

/** What an agent is shown of an answer that it may not have. */
const MAX_BYTES = 16_384;
/** Of a value: one character, and what parts it from the next. */
const LEAST_BYTES = 2;
/** Strings are cut to the first of these under which the whole fits. */
const STRING_CHARS = [8_192, 2_048, 512, 128, 32] as const;
const CUT = '… [cut]';

/**
 * The result (or error) of a message, in at most 16 KiB of JSON; undefined where its bones alone are more. `message`
 * is without its secrets already.
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

/** False where the JSON of a message's result is too long, however short its strings: then it need not be masked first. */
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

/** At least so many bytes has a value's JSON; counted no further than is needed to tell that it is too long. */
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
