import type { FindAll, ContentClass, DetectorName, StreamDetector } from '../../detectors/finding.ts';
import type { Parsed } from '../../pipeline/exchange.ts';
import type { ReportSecretLeak } from '../report-secret-leak.ts';
import type { DlpAction } from './actions.ts';
import type { DlpConfig } from './config.ts';
import type { Found } from '../../inspect/inspected.ts';
import type { ClassSearch } from './scope.ts';

export interface DlpCheckDeps {
  readonly config: DlpConfig;
  /** Searches answers. */
  readonly detector: StreamDetector;
  /** The same for whole texts of any length. */
  readonly findAll: FindAll;
  /** Detectors that find nothing if `findAll` finds nothing; later checks need not run them. */
  readonly detectors: readonly DetectorName[];
  /** For requests, if other classes are searched there. */
  readonly requestSearch?: Omit<ClassSearch, 'detector'>;
  readonly reportSecretLeak: ReportSecretLeak;
  /** Called once per class and body, and for an answer's headers; in shadow mode too. */
  readonly onFound: (found: FoundClass) => void;
  /** Undefined if evidence is not recorded. Findings contain the matched text: digest it, do not keep it. */
  readonly onEvidence?: (exchange: Parsed, evidence: DlpEvidence) => void;
}

export interface DlpEvidence {
  readonly side: 'request' | 'answer';
  readonly found: readonly Found[];
}

/** Metric labels: closed sets only. */
export interface FoundClass {
  readonly class: ContentClass;
  readonly side: 'request' | 'answer';
  readonly action: DlpAction | 'deny' | 'report';
}
