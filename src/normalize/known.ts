import { asGiven } from '../inspect/offset-map.ts';
import { createSearchId, rememberClean, type CleanRecord } from '../clean-texts.ts';
import type { Awaitable } from '../turns.ts';
import { normalizeAll, type Normalized, type Obfuscation } from './normalize.ts';

const OBFUSCATION = createSearchId();

/** Reports whether normalization is known to leave a text unchanged. */
export function isUndisguised(text: CleanRecord | undefined): boolean {
  return text?.isClean(OBFUSCATION) === true;
}

const NOTHING_HIDDEN: Obfuscation = {
  obfuscationDetected: false,
  hasHomoglyphs: false,
  hasInvisibleChars: false,
  hasBase64Payloads: false,
  hasEncodingAttacks: false,
  hasDelimPadding: false,
};

type NormalizeAll = (texts: readonly string[]) => Awaitable<readonly Normalized[]>;

/** Wraps a normalizer to skip texts that are known to contain no obfuscation. */
export function rememberUndisguised(normalize: NormalizeAll): NormalizeAll {
  return rememberClean<Normalized>({
    read: normalize,
    isClean: (normalized, text) => normalized.text === text && !normalized.obfuscation.obfuscationDetected,
    clean: (text) => ({ ...asGiven(text), obfuscation: NOTHING_HIDDEN }),
    search: OBFUSCATION,
  });
}

/** Same as `normalizeAll`, but skips texts known to contain no obfuscation, within and across requests. */
export const normalizeKnown: NormalizeAll = rememberUndisguised(normalizeAll);
