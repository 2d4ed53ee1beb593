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
  readonly findAll: FindAll;
  /** Detectors that find nothing if `findAll` finds nothing; later checks can skip them. */
  readonly detectors: readonly DetectorName[];
  readonly requestSearch?: Omit<ClassSearch, 'detector'>;
  readonly reportSecretLeak: ReportSecretLeak;
  /** Called once per class for each body and for an answer's headers, including in shadow mode. */
  readonly onFound: (found: FoundClass) => void;
  /** Undefined if evidence is not recorded. Findings contain the matched text: digest it, never store it. */
  readonly onEvidence?: (exchange: Parsed, evidence: DlpEvidence) => void;
}

export interface DlpEvidence {
  readonly side: 'request' | 'answer';
  readonly found: readonly Found[];
}

/** Metric labels, all from closed sets. */
export interface FoundClass {
  readonly class: ContentClass;
  readonly side: 'request' | 'answer';
  readonly action: DlpAction | 'deny' | 'report';
}
