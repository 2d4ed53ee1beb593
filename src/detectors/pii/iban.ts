import type { Finding, StreamDetector } from '../finding.ts';
import { createStreamDetector } from '../stream-detector.ts';

/** Finds IBANs (ISO 13616) with the country's length and valid check digits, ungrouped or in groups of four. */
export const ibanDetector: StreamDetector = createStreamDetector(findIbans, openIn);

/** Lengths by country, from the SWIFT IBAN registry. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ' +
    'ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 ' +
    'LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 ' +
    'PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

const BEGINNING = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}/gi;
const CHARACTER = /[A-Za-z0-9]/;
const SEPARATOR = /[ \u00a0-]/;
/** Longest IBAN, with separators. */
const MAX_CHARS = 33 + 8;

function findIbans(text: string): readonly Finding[] {
  const found: Finding[] = [];
  BEGINNING.lastIndex = 0;
  for (let match = BEGINNING.exec(text); match !== null; match = BEGINNING.exec(text)) {
    const start = match.index;
    const { end } = readAt(text, start);
    if (end === undefined) continue;
    found.push({ detector: 'iban', class: 'iban', rule: 'iban', start, end });
    BEGINNING.lastIndex = end;
  }
  return found;
}

interface Reading {
  readonly end?: number;
  /** Whether more text may change the result. */
  readonly isOpen: boolean;
}

const NONE: Reading = { isOpen: false };
const OPEN: Reading = { isOpen: true };

function readAt(text: string, start: number): Reading {
  const country = text.slice(start, start + 2).toUpperCase();
  if (country.length < 2) return /[A-Z]/.test(country) ? OPEN : NONE;
  const length = LENGTHS.get(country);
  if (length === undefined) return NONE;
  let compact = country;
  let at = start + 2;
  for (; compact.length < length; at += 1) {
    const character = text[at];
    if (character === undefined) return OPEN;
    if (CHARACTER.test(character)) {
      compact += character;
      if (compact.length <= 4 && !/\d/.test(character)) return NONE;
      continue;
    }
    const isBetween =
      SEPARATOR.test(character) && compact.length % 4 === 0 && !SEPARATOR.test(text[at - 1] ?? '');
    if (!isBetween) return NONE;
  }
  if (CHARACTER.test(text[at] ?? '') || !hasRightCheckDigits(compact.toUpperCase())) return NONE;
  return { end: at, isOpen: at === text.length };
}

/** ISO 7064 MOD 97-10: letters are worth 10 to 35, and the first four characters move to the end. */
function hasRightCheckDigits(iban: string): boolean {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value < 10 ? 10 : 100) + value) % 97;
  }
  return remainder === 1;
}

function openIn(tail: string): number {
  for (let at = Math.max(0, tail.length - MAX_CHARS - 1); at < tail.length; at += 1) {
    if (!CHARACTER.test(tail[at - 1] ?? '') && readAt(tail, at).isOpen) return at;
  }
  return tail.length;
}
