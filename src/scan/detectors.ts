import { createContentDetector, EVERY_CLASS } from '../detectors/content.ts';
import { findCredentials } from '../detectors/credentials/credentials.ts';
import { findCvv } from '../detectors/pii/cvv.ts';
import { detect, type TextForms } from '../detectors/detect.ts';
import type { Detector, DetectorName, Finding } from '../detectors/finding.ts';
import { findPathTraversal } from '../detectors/traversal/path-traversal.ts';
import { DENY_SCORE, learnedInjection } from '../detectors/learned/injection.ts';
import { findPromptInjection } from '../detectors/injection/prompt-injection.ts';
import { findSecrets } from '../detectors/secrets/secrets.ts';
import { findSqlInjection } from '../detectors/sql/sql-injection.ts';
import type { ScanSurface } from './surface.ts';

/** The gateway's default action on a finding. In a running gateway, policies decide. */
export type Action = 'deny' | 'redact' | 'quarantine' | 'mask';

interface Row {
  /** Searches normalized prompts and tool responses. DLP searches completions. */
  readonly find?: Detector;
  /** Whether matches are masked wherever the text is stored or shown. */
  readonly masked: boolean;
  /** Other surfaces are not searched. */
  readonly actions: { readonly [At in ScanSurface]?: Action };
}

/**
 * Default action of each detector on each surface. These are the actions of the safety preset for prompts, the
 * inspector for tool responses, and DLP for completions (docs/policies.md, docs/detectors.md).
 */
export const DETECTORS: Readonly<Record<DetectorName, Row>> = {
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

export function createSurfaceSearch(surface: ScanSurface): (text: TextForms) => readonly Finding[] {
  if (surface === 'completion') return ({ raw }) => CONTENT.find(raw);
  const detectors = Object.values(DETECTORS).flatMap(({ find, actions }) =>
    find === undefined || actions[surface] === undefined ? [] : [find],
  );
  return (text) => detect(text, detectors);
}
