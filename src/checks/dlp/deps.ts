import type { FindAll, ContentClass, DetectorName, StreamDetector } from '../../detectors/finding.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { ReportSecretLeak } from '../report-secret-leak.ts';
import type { DlpAction } from './actions.ts';
import type { DlpConfig } from './config.ts';
import type { Found } from '../../inspect/inspected.ts';
import type { ClassSearch } from './scope.ts';

export interface DlpCheckDeps {
  /** `server.dlp`. */
  readonly config: DlpConfig;
  /** Finds what is looked for in answers. */
  readonly detector: StreamDetector;
  /** The same for whole texts, however long. */
  readonly findAll: FindAll;
  /** Those that have found nothing where `findAll` finds nothing: the checks behind need not run them again. */
  readonly detectors: readonly DetectorName[];
  /** For requests, where other classes are looked for in them. */
  readonly requestSearch?: Omit<ClassSearch, 'detector'>;
  readonly reportSecretLeak: ReportSecretLeak;
  /** Called once per class and body, and for an answer's headers; in shadow mode too. */
  readonly onFound: (found: FoundClass) => void;
  /** Left out where nobody records it. What was found holds what was matched: to be digested, not to be kept. */
  readonly onEvidence?: (exchange: Parsed, evidence: DlpEvidence) => void;
}

export interface DlpEvidence {
  readonly side: 'request' | 'answer';
  readonly found: readonly Found[];
}

/** For a metric: closed sets only. */
export interface FoundClass {
  readonly class: ContentClass;
  readonly side: 'request' | 'answer';
  readonly action: DlpAction | 'deny' | 'report';
}
