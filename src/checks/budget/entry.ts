import { checkEntry } from '../entry.ts';

export const budget = checkEntry(
  async (config, { counting, ownStore, onClose }) => {
    const store = await ownStore({
      async redis(place) {
        const { createRedisBudgetStore } = await import('./redis-store.ts');
        const alertPercents = config.alerting.thresholds.map(({ percent }) => percent);
        return createRedisBudgetStore({ ...place, alertPercents });
      },
    });
    if (counting === undefined || store === undefined) return undefined;
    const [{ createBudgetCheck }, { createPricing }] = await Promise.all([
      import('./check.ts'),
      import('../../pricing/pricing.ts'),
    ]);
    const { check, close } = createBudgetCheck({
      ...counting.ledger,
      store,
      config,
      pricing: createPricing(config),
    });
    onClose(close);
    return check;
  },
  { reads: ['session'] },
);
