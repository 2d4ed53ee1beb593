/** Traits of a text, one bit each. */
export const TRAIT = {
  /** A sign that starts escapes. */
  escape: 1,
  /** Consecutive bytes or code points. */
  list: 2,
  /** Twelve Base64 letters in a row. */
  block: 4,
  /** Three single letters or digits close together. */
  singles: 8,
  /** The same sign twice, close together. */
  splits: 16,
  /** A digit or sign beside a letter. */
  leet: 32,
  /** Anything beyond printable ASCII. */
  beyond: 64,
} as const;
