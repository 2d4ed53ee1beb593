/**
 * Codes of JSON characters, both as bytes and as UTF-16 code units. Destructure them outside loops (`const { QUOTE } =
 * CODES`), because the test module loader looks up imports at each use.
 */
export const CODES = {
  SPACE: 0x20,
  QUOTE: 0x22,
  COMMA: 0x2c,
  COLON: 0x3a,
  LARGE_EXPONENT: 0x45,
  OPEN_ARRAY: 0x5b,
  BACKSLASH: 0x5c,
  CLOSE_ARRAY: 0x5d,
  EXPONENT: 0x65,
  OPEN_OBJECT: 0x7b,
  CLOSE_OBJECT: 0x7d,
} as const;
