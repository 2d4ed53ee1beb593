import type { TextView } from '../inspect/offset-map.ts';

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
export interface Normalized extends TextView {
  readonly obfuscation: Obfuscation;
}
