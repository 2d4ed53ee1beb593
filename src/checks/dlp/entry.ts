import { checkEntry } from '../entry.ts';

export const dlp = checkEntry(
  async ({ server: { dlp: config } }, { observer, reportSecretLeak }) => {
    const [{ createDlpCheck }, { MAX_FINDINGS }, content] = await Promise.all([
      import('./check.ts'),
      import('./inspected.ts'),
      import('../../detectors/content.ts'),
    ]);
    const scope = {
      scanSecrets: config.scan_secrets,
      scanPii: config.scan_pii,
      scanNetwork: config.scan_network,
      allowedHosts: config.allowed_hosts,
    };
    return createDlpCheck({
      detector: content.createContentDetector(scope),
      findAll: content.createFindContentAll(scope, MAX_FINDINGS),
      requestDetectors: content.contentDetectorsOf(scope),
      config,
      reportSecretLeak,
      onFound: observer.dlpFound,
      ...(observer.dlpEvidence && { onEvidence: observer.dlpEvidence }),
    });
  },
  { reads: ['session'] },
);
