import { rememberUndisguised } from '../../normalize/known.ts';
import type { Normalized, Obfuscation } from '../../normalize/normalize.ts';
import { PASS, type Check, type Verdict } from '../../pipeline/check.ts';
import { after, type Awaitable } from '../../turns.ts';

export interface NormalizationCheckDeps {
  /** May yield to the event loop. */
  readonly normalizeAll: (texts: readonly string[]) => Awaitable<readonly Normalized[]>;
}

/** Names in records: the policy input names without `has_`. */
const FLAGS = {
  hasHomoglyphs: 'homoglyphs',
  hasInvisibleChars: 'invisible_chars',
  hasBase64Payloads: 'base64_payloads',
  hasEncodingAttacks: 'encoding_attacks',
  hasDelimPadding: 'delim_padding',
} as const;

/** Normalizes all prompt texts for later checks (docs/normalization.md). Hidden text is only flagged. */
export function createNormalizationCheck({
  normalizeAll,
}: NormalizationCheckDeps): Check<unknown, 'normalization'> {
  const normalizeNew = rememberUndisguised(normalizeAll);
  return {
    name: 'normalization',
    shadowable: true,
    requestBody: ({ request, facts }) =>
      after(normalizeNew(request.texts.map(({ text }) => text)), (normalized): Verdict => {
        const obfuscation = combinedFlags(normalized.map((text) => text.obfuscation));
        facts.prompt = { normalizedTexts: normalized.map(({ text }) => text), obfuscation };
        return obfuscation.obfuscationDetected
          ? { kind: 'flag', reason: `hidden text: ${flagNames(obfuscation).join(', ')}` }
          : PASS;
      }),
  };
}

function combinedFlags(all: readonly Obfuscation[]): Obfuscation {
  const some = (flag: keyof Obfuscation): boolean => all.some((obfuscation) => obfuscation[flag]);
  return {
    obfuscationDetected: some('obfuscationDetected'),
    hasHomoglyphs: some('hasHomoglyphs'),
    hasInvisibleChars: some('hasInvisibleChars'),
    hasBase64Payloads: some('hasBase64Payloads'),
    hasEncodingAttacks: some('hasEncodingAttacks'),
    hasDelimPadding: some('hasDelimPadding'),
  };
}

function flagNames(obfuscation: Obfuscation): string[] {
  return Object.entries(FLAGS).flatMap(([flag, name]) =>
    obfuscation[flag as keyof typeof FLAGS] ? [name] : [],
  );
}
