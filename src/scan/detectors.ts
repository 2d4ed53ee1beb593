import { findCvv } from '../detectors/cvv.ts';
import type { Detector, DetectorName } from '../detectors/finding.ts';
import { findPathTraversal } from '../detectors/path-traversal.ts';
import { findPromptInjection } from '../detectors/prompt-injection.ts';
import { findSecrets } from '../detectors/secrets.ts';
import { findSqlInjection } from '../detectors/sql-injection.ts';
import type { Surface } from './surface.ts';

/** What the gateway does by default with what is found; policies decide on the wire. */
export type Action = 'deny' | 'redact' | 'quarantine';

interface Row {
  readonly find: Detector;
  /** Blanked out wherever the text is stored or shown. */
  readonly masked: boolean;
  /** A surface that is not named is not searched. */
  readonly actions: { readonly [At in Surface]?: Action };
}

/**
 * Which detector looks at which surface, and what follows there: the safety preset on prompts, the inspector on
 * tool responses, DLP on completions (SPEC "Policies", "Behaviour of checks"). A detector is a line.
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
  sql_injection: { find: findSqlInjection, masked: false, actions: { prompt: 'deny' } },
  path_traversal: {
    find: findPathTraversal,
    masked: false,
    actions: { prompt: 'deny', tool: 'redact' },
  },
  cvv: { find: findCvv, masked: false, actions: { prompt: 'deny' } },
};
