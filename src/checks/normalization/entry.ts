import { checkEntry } from '../entry.ts';

export const normalization = checkEntry(
  async () => {
    const [{ createNormalizationCheck }, { normalizeAll }] = await Promise.all([
      import('./check.ts'),
      import('../../normalize/normalize.ts'),
    ]);
    return createNormalizationCheck({ normalizeAll });
  },
  { writes: ['prompt'] },
);
