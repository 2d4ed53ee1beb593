import { checkEntry } from '../entry.ts';

export const dlp = checkEntry(
  async ({ server: { dlp: config } }, { observer, reportSecretLeak }) => {
    const [{ createDlpCheck }, { createClassSearch, dlpScope }] = await Promise.all([
      import('./check.ts'),
      import('./scope.ts'),
    ]);
    if (config.scan_seed_phrases)
      await (await import('../../detectors/assets/seed-phrase.ts')).loadSeedWords();
    const scope = dlpScope(config);
    const { request_classes: inRequests, answer_classes: inAnswers } = config;
    const isSame = inRequests === undefined && inAnswers === undefined;
    return createDlpCheck({
      ...createClassSearch(scope, inAnswers),
      ...(!isSame && { requestSearch: createClassSearch(scope, inRequests) }),
      config,
      reportSecretLeak,
      onFound: observer.dlpFound,
      ...(observer.dlpEvidence && { onEvidence: observer.dlpEvidence }),
    });
  },
  { reads: ['session'], writes: ['searched'] },
);
