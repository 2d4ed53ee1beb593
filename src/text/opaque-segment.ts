/** The names of services are words, ids are short groups. */
const LEAST_CHARS = 24;
const RUN = /[A-Za-z0-9]{16,}/g;

/** Whether a segment of an address looks like a credential: long, with letters and digits run together. */
export function isOpaqueSegment(segment: string): boolean {
  return segment.length >= LEAST_CHARS && (segment.match(RUN) ?? []).some(hasLettersAndDigits);
}

export function hasLettersAndDigits(text: string): boolean {
  return /\d/.test(text) && /[A-Za-z]/.test(text);
}
