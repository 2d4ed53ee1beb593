/** The names of services are words. */
const LEAST_CHARS = 24;
const RUN = /[A-Za-z0-9]{16,}/g;
/** A shorter text, parted or not, is no credential. */
const LEAST_MIXED_CHARS = 16;
const MIXED = /[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])/g;
/** Random text changes between letters and digits at every fourth character or so, a name with its version seldom. */
const LEAST_CHANGES = 5;
const CHARS_TO_A_CHANGE = 5;

/**
 * Whether a segment of an address looks like a credential: long, with letters and digits run together, or with letters
 * and digits mixed as in random text (keys in groups, UUIDs).
 */
export function isOpaqueSegment(segment: string): boolean {
  if (segment.length >= LEAST_CHARS && (segment.match(RUN) ?? []).some(hasLettersAndDigits)) return true;
  const joined = segment.replaceAll(/[^A-Za-z0-9]+/g, '');
  if (joined.length < LEAST_MIXED_CHARS) return false;
  const changes = joined.match(MIXED)?.length ?? 0;
  return changes >= Math.max(LEAST_CHANGES, joined.length / CHARS_TO_A_CHANGE);
}

export function hasLettersAndDigits(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text);
}
