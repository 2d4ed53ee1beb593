import { checkEntry } from '../entry.ts';

export const budget = checkEntry(
  async (config, { counting, onClose }) => {
    if (counting === undefined) return undefined;
    const [{ createBudgetCheck }, { createPricing }] = await Promise.all([
      import('./check.ts'),
      import('../../pricing/pricing.ts'),
    ]);
    const { check, close } = createBudgetCheck({
      ...counting.ledger,
      config,
      pricing: createPricing(config),
    });
    onClose(close);
    return check;
  },
  { reads: ['session'] },
);
