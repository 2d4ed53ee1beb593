import { MASK, REMOVED } from '../text/mask.ts';
import type { DetectorName, Finding, FindingClass } from '../detectors/finding.ts';
import { wholeOrder } from '../detectors/injection/extent.ts';
import { normalize, type Obfuscation } from '../normalize/normalize.ts';
import { createSurfaceSearch, DETECTORS, type Action } from './detectors.ts';
import { owaspIds, type OwaspId } from '../owasp.ts';
import { replaceSpans, type Replacement } from '../text/replace-spans.ts';
import type { TextRow } from './rows.ts';
import type { ScanSurface } from './surface.ts';

export interface TextReport {
  readonly id: string | number;
  readonly normalized: string;
  readonly obfuscation: ReturnType<typeof flags>;
  /** Ordered by `start`. Offsets are UTF-16 units of the given text; the end is exclusive. */
  readonly findings: readonly FindingReport[];
  /** The text in which secrets, personal data and everything redacted on this surface are masked. */
  readonly masked: string;
}

interface FindingReport {
  readonly detector: DetectorName;
  readonly class: FindingClass;
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  readonly action: Action;
  /** The confidence of a model, 0 to 1. */
  readonly score?: number;
  readonly owasp: readonly OwaspId[];
}

export function createTextScan(surface: ScanSurface): (row: TextRow) => TextReport {
  const search = createSurfaceSearch(surface);
  return ({ id, text }) => {
    const normalized = normalize(text);
    const findings = search({ raw: text, normalized }).flatMap((finding) => {
      const action = DETECTORS[finding.detector].actions[surface];
      if (action === undefined) return [];
      return [findingReport(surface === 'tool' ? wholeOrder(text, finding) : finding, action)];
    });
    return {
      id,
      normalized: normalized.text,
      obfuscation: flags(normalized.obfuscation),
      findings,
      masked: replaceSpans(text, findings.flatMap(replacement)),
    };
  };
}

function findingReport(
  { detector, class: kind, rule, start, end, score }: Finding,
  action: Action,
): FindingReport {
  return {
    detector,
    class: kind,
    rule,
    start,
    end,
    action,
    owasp: owaspIds({ classes: [kind] }),
    ...(score !== undefined && { score }),
  };
}

function replacement({ detector, action, start, end }: FindingReport): Replacement[] {
  if (action === 'redact') return [{ start, end, text: REMOVED }];
  return DETECTORS[detector].masked ? [{ start, end, text: MASK }] : [];
}

/** Fields have the names in docs/normalization.md. */
function flags(obfuscation: Obfuscation) {
  return {
    obfuscation_detected: obfuscation.obfuscationDetected,
    has_homoglyphs: obfuscation.hasHomoglyphs,
    has_invisible_chars: obfuscation.hasInvisibleChars,
    has_base64_payloads: obfuscation.hasBase64Payloads,
    has_encoding_attacks: obfuscation.hasEncodingAttacks,
    has_delim_padding: obfuscation.hasDelimPadding,
  };
}
