import {
  contentDetectorsOf,
  createContentDetector,
  createFindContentAll,
  type ContentScope,
} from '../../detectors/content.ts';
import type {
  ContentClass,
  DetectorName,
  FindAll,
  Finding,
  StreamDetector,
} from '../../detectors/finding.ts';
import type { DlpConfig } from './config.ts';
import { MAX_FINDINGS } from '../../inspect/inspected.ts';

/** Finding classes by the scope setting that enables them. */
const CLASSES = {
  scanSecrets: ['secret'],
  scanPii: ['email', 'card', 'ssn', 'phone'],
  scanNetwork: ['network'],
  scanCredentials: ['credentials'],
  scanIban: ['iban'],
  scanWalletKeys: ['wallet_key'],
  scanSeedPhrases: ['seed_phrase'],
} as const satisfies Readonly<Record<Exclude<keyof ContentScope, 'allowedHosts'>, readonly ContentClass[]>>;

export function dlpScope(config: DlpConfig): ContentScope {
  return {
    scanSecrets: config.scan_secrets,
    scanPii: config.scan_pii,
    scanNetwork: config.scan_network,
    scanCredentials: config.scan_credentials,
    scanIban: config.scan_iban,
    scanWalletKeys: config.scan_wallet_keys,
    scanSeedPhrases: config.scan_seed_phrases,
    allowedHosts: config.allowed_hosts,
  };
}

export interface ClassSearch {
  readonly detector: StreamDetector;
  readonly findAll: FindAll;
  readonly detectors: readonly DetectorName[];
}

/** @param classes subset of the enabled classes (`request_classes`, `answer_classes`); undefined for all */
export function createClassSearch(
  scope: ContentScope,
  classes: readonly ContentClass[] | undefined,
): ClassSearch {
  if (classes === undefined) return searchOf(scope);
  const wanted = new Set<string>(classes);
  const unwanted = Object.entries(CLASSES).filter(([, found]) => !found.some((name) => wanted.has(name)));
  const only: ContentScope = { ...scope, ...Object.fromEntries(unwanted.map(([part]) => [part, false])) };
  const search = searchOf(only);
  const isPartly = only.scanPii && !CLASSES.scanPii.every((name) => wanted.has(name));
  if (!isPartly) return search;
  const { detector } = search;
  const isWanted = (finding: Finding): boolean => wanted.has(finding.class);
  return {
    detector: { ...detector, find: (text) => detector.find(text).filter(isWanted) },
    async findAll(texts) {
      const found = await search.findAll(texts);
      return found.map(({ findings, isWhole }) => ({ findings: findings.filter(isWanted), isWhole }));
    },
    detectors: contentDetectorsOf({ ...only, scanPii: false }),
  };
}

function searchOf(scope: ContentScope): ClassSearch {
  return {
    detector: createContentDetector(scope),
    findAll: createFindContentAll(scope, MAX_FINDINGS),
    detectors: contentDetectorsOf(scope),
  };
}
