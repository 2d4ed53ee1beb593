import { contentDetectorsOf, createFindContentAll, type ContentScope } from '../../detectors/content.ts';
import type { ContentClass, DetectorName, FindAll } from '../../detectors/finding.ts';
import type { DlpConfig } from './config.ts';
import { MAX_FINDINGS } from './inspected.ts';

const PERSONAL_DATA: readonly ContentClass[] = ['email', 'card', 'ssn', 'phone'];

/** What `server.dlp` switches on. */
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

export interface RequestSearch {
  readonly findAll: FindAll;
  /** Those that find nothing where `findAll` finds nothing. */
  readonly detectors: readonly DetectorName[];
}

/** The search of requests, where `request_classes` names fewer classes than are switched on. */
export function createRequestSearch(
  scope: ContentScope,
  classes: DlpConfig['request_classes'],
): RequestSearch | undefined {
  if (classes === undefined) return undefined;
  const wanted = new Set<string>(classes);
  const only: ContentScope = {
    scanSecrets: scope.scanSecrets && wanted.has('secret'),
    scanPii: scope.scanPii && PERSONAL_DATA.some((one) => wanted.has(one)),
    scanNetwork: scope.scanNetwork && wanted.has('network'),
    scanCredentials: scope.scanCredentials === true && wanted.has('credentials'),
    scanIban: scope.scanIban === true && wanted.has('iban'),
    scanWalletKeys: scope.scanWalletKeys === true && wanted.has('wallet_key'),
    scanSeedPhrases: scope.scanSeedPhrases === true && wanted.has('seed_phrase'),
    allowedHosts: scope.allowedHosts,
  };
  const findAll = createFindContentAll(only, MAX_FINDINGS);
  const isPartly = only.scanPii && !PERSONAL_DATA.every((one) => wanted.has(one));
  if (!isPartly) return { findAll, detectors: contentDetectorsOf(only) };
  return {
    async findAll(texts) {
      const found = await findAll(texts);
      return found.map(({ findings, isWhole }) => ({
        findings: findings.filter((one) => wanted.has(one.class)),
        isWhole,
      }));
    },
    detectors: contentDetectorsOf({ ...only, scanPii: false }),
  };
}
