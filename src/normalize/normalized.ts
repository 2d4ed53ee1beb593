import type { Span } from '../text/span.ts';

/** docs/normalization.md: what was found hidden in a text. */
export interface Obfuscation {
  readonly obfuscationDetected: boolean;
  readonly hasHomoglyphs: boolean;
  readonly hasInvisibleChars: boolean;
  readonly hasBase64Payloads: boolean;
  readonly hasEncodingAttacks: boolean;
  readonly hasDelimPadding: boolean;
}

/** A text with its disguises taken off. */
export interface Normalized {
  readonly text: string;
  readonly obfuscation: Obfuscation;
  /** The span of the given text that a span of the normalized one came from; UTF-16 units, end exclusive. */
  toOriginalSpan(start: number, end: number): Span;
}
