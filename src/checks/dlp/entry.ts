import { checkEntry } from '../entry.ts';

export const dlp = checkEntry(
  async ({ server: { dlp: config } }, { observer, reportSecretLeak }) => {
    const [{ createDlpCheck }, { MAX_FINDINGS }, { createRequestSearch, dlpScope }, content] =
      await Promise.all([
        import('./check.ts'),
        import('./inspected.ts'),
        import('./scope.ts'),
        import('../../detectors/content.ts'),
      ]);
    if (config.scan_seed_phrases)
      await (await import('../../detectors/assets/seed-words.ts')).loadSeedWords();
    const scope = dlpScope(config);
    const requestSearch = createRequestSearch(scope, config.request_classes);
    return createDlpCheck({
      detector: content.createContentDetector(scope),
      findAll: content.createFindContentAll(scope, MAX_FINDINGS),
      detectors: content.contentDetectorsOf(scope),
      ...(requestSearch && { requestSearch }),
      config,
      reportSecretLeak,
      onFound: observer.dlpFound,
      ...(observer.dlpEvidence && { onEvidence: observer.dlpEvidence }),
    });
  },
  { reads: ['session'] },
);
