import { Walk } from '../../inspect/walk.ts';
import { isObject } from '../../json/is-object.ts';

/** Maximum size of the masked result that an agent gets instead of the answer. */
const MAX_BYTES = 16_384;
/** Minimum size of a value: one character and a separator. */
const LEAST_BYTES = 2;
/** Strings are cut to the first of these lengths at which the result fits. */
const STRING_CHARS = [8_192, 2_048, 512, 128, 32] as const;
const CUT = '… [cut]';

/**
 * Returns the result or error of a message in at most 16 KiB of JSON; undefined if its structure alone is larger.
 * `message` must be free of secrets.
 */
export function maskedResult(message: unknown): unknown {
  const result = resultIn(message);
  if (fits(result)) return result;
  for (const maxChars of STRING_CHARS) {
    const shorter = withShortTexts(result, maxChars);
    if (fits(shorter)) return shorter;
  }
  return undefined;
}

/** Returns false if the result of a message is too long even with empty strings, and need not be masked. */
export function mayBeShown(message: unknown): boolean {
  return isObject(message) && mayFit(resultIn(message), () => 0);
}

function resultIn(message: unknown): unknown {
  if (!isObject(message)) return undefined;
  return Object.hasOwn(message, 'result') ? message['result'] : message['error'];
}

function fits(value: unknown): boolean {
  if (value === undefined || !mayFit(value, (text) => text.length)) return false;
  return Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES;
}

/** Compares a lower bound of a value's size in JSON with the limit. */
function mayFit(root: unknown, textBytes: (text: string) => number): boolean {
  const walk = new Walk([root], undefined);
  let bytes = 0;
  while (walk.next() !== undefined) {
    const { step, value } = walk;
    bytes += LEAST_BYTES;
    if (typeof step === 'string') bytes += step.length;
    if (typeof value === 'string') bytes += textBytes(value);
    if (bytes > MAX_BYTES) return false;
    walk.enter(undefined);
  }
  return true;
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
