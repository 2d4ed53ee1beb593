/** What a text has that some stage may have to do with; each is a bit. */
export const TRAIT = {
  /** A sign that escapes begin with. */
  escape: 1,
  /** Bytes or code points one after the other. */
  list: 2,
  /** Twelve letters of Base64 in a row, which a long word has too. */
  block: 4,
  /** Three single letters or digits close to each other. */
  singles: 8,
  /** The same sign twice, close to each other. */
  splits: 16,
  /** A digit or sign beside a letter. */
  leet: 32,
  /** Anything beyond printable ASCII. */
  beyond: 64,
} as const;
