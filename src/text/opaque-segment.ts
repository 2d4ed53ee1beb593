/** Service names are shorter or consist of words. */
const MIN_CHARS = 24;
const RUN = /[A-Za-z0-9]{16,}/g;
const MIXED = /[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])/g;
/** Minimum number of letters and digits, minimum number of changes between them, and maximum characters per change. */
const LONG = { chars: 16, changes: 5, charsPerChange: 4 };
/** Stricter, because names with a version have as many changes as short random text other than hex. */
const SHORT = { chars: 8, changes: 4, charsPerChange: 2.5 };

/** Reports whether a URL segment looks like a credential: a long mixed run, or as mixed as random text (UUIDs, hex). */
export function isOpaqueSegment(segment: string): boolean {
  if (segment.length >= MIN_CHARS && (segment.match(RUN) ?? []).some(hasLettersAndDigits)) return true;
  const joined = segment.replaceAll(/[^A-Za-z0-9]+/g, '');
  const { length } = joined;
  const limits = length >= LONG.chars ? LONG : SHORT;
  if (length < limits.chars) return false;
  const changes = joined.match(MIXED)?.length ?? 0;
  return changes >= Math.max(limits.changes, length / limits.charsPerChange);
}

export function hasLettersAndDigits(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text);
}
