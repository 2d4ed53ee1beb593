import { hash } from 'node:crypto';
import type { Normalized, Obfuscation } from '../../normalize/normalized.ts';
import { PASS, type Check } from '../../pipeline/check.ts';
import { RecentMap } from '../../recent-map.ts';

export interface NormalizationCheckDeps {
  /** Gives other requests a turn between the slices of a long prompt. */
  readonly normalizeAll: (texts: readonly string[]) => Promise<readonly Normalized[]>;
}

/** As they stand in a record; SPEC's names without `has_`. */
const FLAGS = {
  hasHomoglyphs: 'homoglyphs',
  hasInvisibleChars: 'invisible_chars',
  hasBase64Payloads: 'base64_payloads',
  hasEncodingAttacks: 'encoding_attacks',
  hasDelimPadding: 'delim_padding',
} as const;

/** Shorter ones cost less to read than to look up. */
const MIN_REMEMBERED_CHARS = 256;
const MAX_REMEMBERED_TEXTS = 50_000;
const NOTHING_HIDDEN: Obfuscation = {
  obfuscationDetected: false,
  hasHomoglyphs: false,
  hasInvisibleChars: false,
  hasBase64Payloads: false,
  hasEncodingAttacks: false,
  hasDelimPadding: false,
};

/**
 * Takes the disguises off every text of a prompt, once, for the checks after it (SPEC "Policy input (prompt
 * analysis)"). Hidden text is no crime: it is flagged, and policies decide.
 */
export function createNormalizationCheck({ normalizeAll }: NormalizationCheckDeps): Check {
  const normalizeNew = remembering(normalizeAll);
  return {
    name: 'normalization',
    shadowable: true,
    async requestBody({ request, facts }) {
      const normalized = await normalizeNew(request.texts.map(({ text }) => text));
      const obfuscation = anyOf(normalized.map((one) => one.obfuscation));
      facts.prompt = { normalizedTexts: normalized.map(({ text }) => text), obfuscation };
      return obfuscation.obfuscationDetected
        ? { kind: 'flag', reason: `hidden text: ${named(obfuscation).join(', ')}` }
        : PASS;
    },
  };
}

type Seen = Pick<Normalized, 'text' | 'obfuscation'>;

/**
 * Agents send their history again with every turn: a text in which there was nothing to do is known again by its
 * digest, and is not gone through twice. The text itself is not kept.
 */
function remembering(normalizeAll: NormalizationCheckDeps['normalizeAll']) {
  const untouched = new RecentMap<true>(MAX_REMEMBERED_TEXTS);
  return async (texts: readonly string[]): Promise<readonly Seen[]> => {
    const digests = texts.map((text) =>
      text.length < MIN_REMEMBERED_CHARS ? undefined : hash('sha256', text, 'base64'),
    );
    const isKnown = digests.map((digest) => digest !== undefined && untouched.get(digest) === true);
    const fresh = await normalizeAll(texts.filter((_text, index) => isKnown[index] !== true));
    let next = 0;
    return texts.map((text, index) => {
      if (isKnown[index] === true) return { text, obfuscation: NOTHING_HIDDEN };
      const one = fresh[next++];
      if (one === undefined) throw new Error('a text was not normalized');
      const digest = digests[index];
      const wasUntouched = one.text === text && !one.obfuscation.obfuscationDetected;
      if (digest !== undefined && wasUntouched) untouched.set(digest, true);
      return one;
    });
  };
}

function anyOf(all: readonly Obfuscation[]): Obfuscation {
  const some = (flag: keyof Obfuscation): boolean => all.some((one) => one[flag]);
  return {
    obfuscationDetected: some('obfuscationDetected'),
    hasHomoglyphs: some('hasHomoglyphs'),
    hasInvisibleChars: some('hasInvisibleChars'),
    hasBase64Payloads: some('hasBase64Payloads'),
    hasEncodingAttacks: some('hasEncodingAttacks'),
    hasDelimPadding: some('hasDelimPadding'),
  };
}

function named(obfuscation: Obfuscation): string[] {
  return Object.entries(FLAGS).flatMap(([flag, name]) =>
    obfuscation[flag as keyof typeof FLAGS] ? [name] : [],
  );
}
