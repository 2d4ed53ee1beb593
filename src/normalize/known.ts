import { asGiven } from '../inspect/offset-map.ts';
import { createSearchId, rememberClean, type CleanRecord } from '../clean-texts.ts';
import { normalizeAll } from './normalize.ts';
import type { Normalized, Obfuscation } from './normalized.ts';

/** Asked of texts: whether normalization changes anything. */
const DISGUISES = createSearchId();

/** Known to be the same when it is normalized. */
export function isUndisguised(text: CleanRecord | undefined): boolean {
  return text?.isClean(DISGUISES) === true;
}

const NOTHING_HIDDEN: Obfuscation = {
  obfuscationDetected: false,
  hasHomoglyphs: false,
  hasInvisibleChars: false,
  hasBase64Payloads: false,
  hasEncodingAttacks: false,
  hasDelimPadding: false,
};

type NormalizeAll = (texts: readonly string[]) => Promise<readonly Normalized[]>;

/** Goes through no text twice that has no disguise. */
export function rememberUndisguised(normalize: NormalizeAll): NormalizeAll {
  return rememberClean<Normalized>({
    read: normalize,
    isClean: (one, text) => one.text === text && !one.obfuscation.obfuscationDetected,
    clean: (text) => ({ ...asGiven(text), obfuscation: NOTHING_HIDDEN }),
    search: DISGUISES,
  });
}

/** `normalizeAll` for texts that come again, in one request or in the next ones. */
export const normalizeKnown: NormalizeAll = rememberUndisguised(normalizeAll);
