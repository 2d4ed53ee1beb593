/** Seeds that make the hashes of equal values differ by kind. */
export const KIND = {
  word: 0x2f1b3a77,
  pair: 0x5a3c9e1d,
  skip: 0x13d8c6b5,
  triple: 0x7c41e58b,
  stem: 0x21f7a94d,
  stems: 0x4be2d173,
  stemSkip: 0x66950f2b,
  concept: 0x38ac57e9,
  concepts: 0x0d7fb615,
  mark: 0x519e23c3,
} as const;

export const FNV_OFFSET = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;

/** One step of 32-bit FNV-1a. */
export function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, FNV_PRIME);
}

export function hashOfChars(text: string, chars: number): number {
  let hash = FNV_OFFSET;
  const end = Math.min(chars, text.length);
  for (let at = 0; at < end; at += 1) hash = mix(hash, text.charCodeAt(at));
  return hash ^ (hash >>> 13);
}

/** Returns a signed 32-bit hash. Uses only two multiplications, because hashing dominates the cost of a text. */
export function hashOf(kind: number, first: number, second = 0): number {
  const hash = Math.imul(Math.imul(first, 0x9e3779b1) ^ second ^ kind, 0x2c1b3c6d);
  return hash ^ (hash >>> 15);
}
