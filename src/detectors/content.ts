import { seedPhraseDetector } from './assets/seed-phrase.ts';
import { walletKeyDetector } from './assets/wallet-key.ts';
import { credentialsDetector } from './credentials/credentials.ts';
import { cardDetector } from './pii/card.ts';
import { hasScriptDigits } from './pii/script-digits.ts';
import { ibanDetector } from './pii/iban.ts';
import { createEmailDetector } from './pii/email.ts';
import type { Detector, DetectorName, FindAll, Finding, SearchedText, StreamDetector } from './finding.ts';
import { internalHostDetector } from './network/internal-host.ts';
import { networkDetector } from './network/network.ts';
import { startOfCrossing, withoutOverlaps } from './overlaps.ts';
import { phoneDetector } from './pii/phone.ts';
import { mayHaveLongNumber, mayHavePhone } from './pii/long-number.ts';
import { findSecretsUpTo, secretsDetector } from './secrets/secrets.ts';
import { after, inTurns, ITEM_CHARS, type Work } from '../turns.ts';
import { findAllIgnoringInvisible, ignoringInvisible } from './ignore-invisible.ts';
import { isOneSlice } from './slices.ts';
import type { Span } from '../text/span.ts';
import { ssnDetector } from './pii/ssn.ts';

/** Classes that DLP scans for (`server.dlp`). */
export interface ContentScope {
  readonly scanSecrets: boolean;
  readonly scanPii: boolean;
  readonly scanNetwork: boolean;
  /** Off by default, like the other optional classes. */
  readonly scanCredentials?: boolean;
  readonly scanIban?: boolean;
  readonly scanWalletKeys?: boolean;
  /** Call `loadSeedWords` first. */
  readonly scanSeedPhrases?: boolean;
  /** Email addresses at these domains and their subdomains are not reported. */
  readonly allowedHosts: readonly string[];
}

export const EVERY_CLASS: ContentScope = {
  scanSecrets: true,
  scanPii: true,
  scanNetwork: true,
  scanCredentials: true,
  scanIban: true,
  scanWalletKeys: true,
  scanSeedPhrases: true,
  allowedHosts: [],
};

/** Findings are ordered by `start`, with one class per span. */
export function createContentDetector(scope: ContentScope): StreamDetector {
  const data = dataDetectors(scope);
  const secrets = scope.scanSecrets ? secretsDetector : undefined;
  return ignoringInvisible({
    find(text) {
      const content = collectContent(secrets?.find(text) ?? []);
      const isLong = mayHaveLongNumber(text);
      content.add(
        data.flatMap(({ find, mayFind }) => (mayFind?.(text, isLong) === false ? NOTHING : find(text))),
      );
      return content.end();
    },
    openFrom: (text) => openFromOf(text, secrets, data),
  });
}

/**
 * Like `createContentDetector(scope).find`, for texts of any length. Stops after `most` secrets or `most` other
 * findings.
 */
export function createFindContentAll(scope: ContentScope, most: number): FindAll {
  const data = dataDetectors(scope);
  function* findEach(
    texts: readonly string[],
    secrets: readonly SearchedText[],
    limit: number,
  ): Work<readonly SearchedText[]> {
    let left = secrets.every(({ isWhole }) => isWhole) ? limit : -1;
    const all: SearchedText[] = [];
    for (const [index, text] of texts.entries()) {
      if (left < 0) yield ITEM_CHARS;
      const ownSecrets = secrets[index]?.findings ?? NOTHING;
      let content: Content | undefined;
      for (let from = 0; from < text.length && left >= 0;) {
        let found: readonly Finding[] = NOTHING;
        const slice = sliceFrom(text, from);
        const hasLongNumber = data.length > 0 && mayHaveLongNumber(slice.text);
        for (const { find, mayFind } of data) {
          if (mayFind?.(slice.text, hasLongNumber) === false) continue;
          yield slice.to - from;
          const more = findInSlice(slice, find);
          if (more.length > 0) found = [...found, ...more];
        }
        yield slice.text.length;
        if (found.length > 0) left -= (content ??= collectContent(ownSecrets)).add(found);
        from = slice.to;
      }
      const findings = content?.end() ?? ownSecrets;
      all.push(left >= 0 && findings.length === 0 ? CLEAN : { findings, isWhole: left >= 0 });
    }
    return all;
  }

  return findAllIgnoringInvisible(most, (texts, limit) =>
    after(scope.scanSecrets ? findSecretsUpTo(texts, limit) : [], (secrets) =>
      inTurns(findEach(texts, secrets, limit)),
    ),
  );
}

/** Returns the detectors that report all their findings (no allowlist or other filter applies). */
export function contentDetectorsOf(scope: ContentScope): readonly DetectorName[] {
  const { scanSecrets, scanPii, scanNetwork, allowedHosts, scanCredentials = false } = scope;
  const findsAllEmails = scanPii && allowedHosts.length === 0 && !scanCredentials;
  return [
    ...(scanSecrets ? (['secrets'] as const) : []),
    ...(scanPii ? (['card', 'ssn', 'phone'] as const) : []),
    ...(findsAllEmails ? (['email'] as const) : []),
    ...(scanNetwork ? (['network'] as const) : []),
    ...(scanCredentials ? (['credentials'] as const) : []),
    ...(scope.scanIban === true ? (['iban'] as const) : []),
    ...(scope.scanWalletKeys === true ? (['wallet_key'] as const) : []),
    ...(scope.scanSeedPhrases === true ? (['seed_phrase'] as const) : []),
  ];
}

const NOTHING: readonly Finding[] = [];
const CLEAN: SearchedText = { findings: NOTHING, isWhole: true };

const SLICE_CHARS = 4096;

/** UTF-16 code units scanned on each side of a slice or offset; no data detector looks further. */
const MARGIN_CHARS = 640;

interface SearchedSlice {
  readonly text: string;
  readonly offset: number;
  /** Offsets in the whole text. Findings that begin outside them are dropped. */
  readonly from: number;
  readonly to: number;
}

function sliceFrom(text: string, from: number): SearchedSlice {
  if (isOneSlice(text)) return { text, offset: 0, from: 0, to: text.length };
  const to = from + SLICE_CHARS;
  const offset = Math.max(0, from - MARGIN_CHARS);
  return { text: text.slice(offset, to + MARGIN_CHARS), offset, from, to };
}

function findInSlice({ text, offset, from, to }: SearchedSlice, find: Detector): readonly Finding[] {
  const found = find(text);
  if (found.length === 0) return NOTHING;
  return shiftedBy(found, offset).filter(({ start }) => start >= from && start < to);
}

function findBetween(text: string, from: number, to: number, find: Detector): readonly Finding[] {
  const offset = Math.max(0, from);
  return shiftedBy(find(text.slice(offset, to)), offset);
}

function shiftedBy(found: readonly Finding[], offset: number): readonly Finding[] {
  return found.map((finding) => ({
    ...finding,
    start: finding.start + offset,
    end: finding.end + offset,
  }));
}

interface DataDetector extends StreamDetector {
  /** Fast test that returns false if the detector cannot find anything. */
  readonly mayFind?: (text: string, hasLongNumber: boolean) => boolean;
}

const mayHaveCard = (text: string, hasLongNumber: boolean): boolean => hasLongNumber || hasScriptDigits(text);
const ofLongNumbers = (_text: string, hasLongNumber: boolean): boolean => hasLongNumber;

function dataDetectors({
  scanPii,
  scanNetwork,
  allowedHosts,
  scanCredentials = false,
  scanIban = false,
  scanWalletKeys = false,
  scanSeedPhrases = false,
}: ContentScope): readonly DataDetector[] {
  return [
    ...(scanWalletKeys ? [walletKeyDetector] : []),
    ...(scanSeedPhrases ? [seedPhraseDetector] : []),
    ...(scanIban ? [ibanDetector] : []),
    ...(scanPii
      ? [
          createEmailDetector(allowedHosts, { leavesUserinfo: scanCredentials }),
          { ...cardDetector, mayFind: mayHaveCard },
          { ...ssnDetector, mayFind: ofLongNumbers },
          { ...phoneDetector, mayFind: mayHavePhone },
        ]
      : []),
    ...(scanNetwork ? [networkDetector, internalHostDetector] : []),
    ...(scanCredentials ? [credentialsDetector] : []),
  ];
}

interface Content {
  /** Returns the number of findings added. */
  add(data: readonly Finding[]): number;
  end(): readonly Finding[];
}

/**
 * Merges findings. Secrets (ordered by `start`) can lock a key, so they keep their whole span. Other findings keep the
 * part that no secret covers.
 */
function collectContent(secrets: readonly Finding[]): Content {
  const content: Finding[] = [];
  let covered = 0;
  let next = 0;
  let added = 0;
  function addSecretsTo(end: number): void {
    for (let secret = secrets[next]; secret !== undefined && secret.start < end; secret = secrets[next]) {
      content.push(secret);
      next += 1;
    }
  }
  function addBesideSecrets(finding: Finding): void {
    addSecretsTo(finding.start);
    let start = Math.max(finding.start, content.at(-1)?.end ?? 0);
    while (start < finding.end) {
      const end = Math.min(finding.end, secrets[next]?.start ?? Infinity);
      if (end > start) {
        content.push({ ...finding, start, end });
        added += 1;
      }
      addSecretsTo(end + 1);
      start = Math.max(end, content.at(-1)?.end ?? 0);
    }
  }
  return {
    add(data) {
      const apart = withoutOverlaps(data, covered);
      covered = apart.at(-1)?.end ?? covered;
      const before = added;
      for (const finding of apart) addBesideSecrets(finding);
      return added - before;
    },
    end() {
      addSecretsTo(Infinity);
      return content;
    },
  };
}

/** Returns the lowest undecided offset of all detectors, or the start of a finding that crosses it. */
function openFromOf(
  text: string,
  secrets: StreamDetector | undefined,
  data: readonly StreamDetector[],
): number {
  const secretOpen = secrets?.openFrom(text) ?? text.length;
  const open = Math.min(secretOpen, ...data.map(({ openFrom }) => openFrom(text)));
  if (open === text.length) return open;
  const found: readonly Span[] = [
    ...(secrets === undefined || open === secretOpen ? [] : secrets.find(text)),
    ...data.flatMap(({ find }) => findBetween(text, open - MARGIN_CHARS, open + MARGIN_CHARS, find)),
  ];
  return startOfCrossing(found, open);
}
