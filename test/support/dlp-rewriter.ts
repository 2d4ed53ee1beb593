import { createDlpRewriter, type StreamRewriterDeps } from '../../src/checks/dlp/judge-answer.ts';
import { createContentDetector, type ContentScope } from '../../src/detectors/content.ts';
import type { ContentClass, StreamDetector } from '../../src/detectors/finding.ts';
import type { Denial, StreamRewriter } from '../../src/pipeline/check.ts';

export type ActionOf = (found: ContentClass) => 'mask' | 'quarantine';

export const DEFAULT_ACTIONS: ActionOf = (found) => (found === 'secret' ? 'quarantine' : 'mask');

export const MASK_ALL: ActionOf = () => 'mask';

export const WITHHELD: Denial = { kind: 'deny', type: 'dlp_quarantine', message: 'withheld' };

/** A rewriter that masks everything but secrets, which cut the stream. */
export function rewriterOf(
  detector: StreamDetector,
  overrides: Partial<StreamRewriterDeps> = {},
): StreamRewriter {
  return createDlpRewriter({
    detector,
    actionOf: DEFAULT_ACTIONS,
    onQuarantine: () => WITHHELD,
    onFound: () => undefined,
    ...overrides,
  });
}

/** The real detectors of all classes, except disabled ones. */
export function contentDetector(scope: Partial<ContentScope> = {}): StreamDetector {
  return createContentDetector({
    scanSecrets: true,
    scanPii: true,
    scanNetwork: true,
    allowedHosts: [],
    ...scope,
  });
}
