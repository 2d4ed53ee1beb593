import { createContentDetector, EVERY_CLASS } from '../detectors/content.ts';
import { findCredentials } from '../detectors/credentials/credentials.ts';
import { detect, type TextForms } from '../detectors/detect.ts';
import { wholeOrder } from '../detectors/injection/extent.ts';
import { findPromptInjection } from '../detectors/injection/prompt-injection.ts';
import { DENY_SCORE, learnedInjection } from '../detectors/learned/injection.ts';
import type { Detector, DetectorName, Finding, FindingClass } from '../detectors/finding.ts';
import { findCvv } from '../detectors/pii/cvv.ts';
import { findSecrets } from '../detectors/secrets/secrets.ts';
import { findSqlInjection } from '../detectors/sql/sql-injection.ts';
import { findPathTraversal } from '../detectors/traversal/path-traversal.ts';
import { normalize, type Obfuscation } from '../normalize/normalize.ts';
import { owaspIds, type OwaspId } from '../owasp.ts';
import { MASK, REMOVED } from '../text/mask.ts';
import { replaceSpans, type Replacement } from '../text/replace-spans.ts';
import type { TextRow } from './rows.ts';
import type { ScanSurface } from './surface.ts';

export interface TextReport {
  readonly id: string | number;
  readonly normalized: string;
  readonly obfuscation: ReturnType<typeof flags>;
  /** Ordered by `start`. Offsets are UTF-16 code units of the given text; the end is exclusive. */
  readonly findings: readonly FindingReport[];
  /**
   * The text with the secrets and personal data among the findings masked, and without findings that this surface
   * redacts.
   */
  readonly masked: string;
}

interface FindingReport {
  readonly detector: DetectorName;
  readonly class: FindingClass;
  readonly rule: string;
  readonly start: number;
  readonly end: number;
  readonly action: Action;
  /** Model confidence, 0 to 1. */
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

/** Field names as in docs/normalization.md. */
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

/** The gateway's default action on a finding. In a running gateway, configuration and policies decide. */
type Action = 'deny' | 'redact' | 'quarantine' | 'mask';

interface Row {
  /** Searches prompts and tool responses. DLP searches completions. */
  readonly find?: Detector;
  /** Whether matches are masked wherever the text is stored or shown. */
  readonly masked: boolean;
  /** Other surfaces are not scanned. */
  readonly actions: { readonly [At in ScanSurface]?: Action };
}

/** Default actions by surface: safety preset, inspector and DLP (docs/policies.md, docs/detectors.md). */
const DETECTORS: Readonly<Record<DetectorName, Row>> = {
  secrets: {
    find: findSecrets,
    masked: true,
    actions: { prompt: 'deny', tool: 'quarantine', completion: 'quarantine' },
  },
  prompt_injection: {
    find: findPromptInjection,
    masked: false,
    actions: { prompt: 'deny', tool: 'redact' },
  },
  injection_learned: {
    find: (text) => learnedInjection(DENY_SCORE)(text),
    masked: false,
    actions: { prompt: 'deny' },
  },
  sql_injection: { find: findSqlInjection, masked: false, actions: { prompt: 'deny' } },
  path_traversal: {
    find: findPathTraversal,
    masked: false,
    actions: { prompt: 'deny', tool: 'redact' },
  },
  path_climb: { masked: false, actions: {} },
  cvv: { find: findCvv, masked: false, actions: { prompt: 'deny' } },
  email: { masked: true, actions: { completion: 'mask' } },
  card: { masked: true, actions: { completion: 'mask' } },
  ssn: { masked: true, actions: { completion: 'mask' } },
  phone: { masked: true, actions: { completion: 'mask' } },
  network: { masked: true, actions: { completion: 'mask' } },
  credentials: {
    find: findCredentials,
    masked: true,
    actions: { prompt: 'mask', tool: 'mask', completion: 'mask' },
  },
  iban: { masked: true, actions: { completion: 'mask' } },
  wallet_key: { masked: true, actions: { completion: 'mask' } },
  seed_phrase: { masked: true, actions: { completion: 'mask' } },
};

const CONTENT = createContentDetector(EVERY_CLASS);

function createSurfaceSearch(surface: ScanSurface): (text: TextForms) => readonly Finding[] {
  if (surface === 'completion') return ({ raw }) => CONTENT.find(raw);
  const detectors = Object.values(DETECTORS).flatMap(({ find, actions }) =>
    find === undefined || actions[surface] === undefined ? [] : [find],
  );
  return (text) => detect(text, detectors);
}
