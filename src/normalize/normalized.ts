import type { TextView } from '../inspect/offset-map.ts';

/** Kinds of hiding (docs/normalization.md). */
export interface Obfuscation {
  readonly obfuscationDetected: boolean;
  readonly hasHomoglyphs: boolean;
  readonly hasInvisibleChars: boolean;
  readonly hasBase64Payloads: boolean;
  readonly hasEncodingAttacks: boolean;
  readonly hasDelimPadding: boolean;
}

export interface Normalized extends TextView {
  readonly obfuscation: Obfuscation;
}
