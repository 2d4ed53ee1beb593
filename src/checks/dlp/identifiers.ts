const MAX_CHARS = 128;
/** With a letter in it: digits alone may be anybody's number. */
const IDENTIFIER = /^(?![^A-Za-z]*$)(?!.*:\/\/)[\w.:/-]+$/;

/**
 * Whether a value looks like a word of the protocol, a name or an id (`assistant`, `end_turn`, `gpt-4o`, `call_9f3`): one
 * word, and no address.
 */
export function isIdentifier(value: string): boolean {
  return value.length <= MAX_CHARS && IDENTIFIER.test(value);
}
