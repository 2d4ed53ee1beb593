import { createModelOf } from '../../pricing/deployments.ts';
import { checkEntry } from '../entry.ts';

export const budget = checkEntry(
  async (config, { counting, ownStore, onClose }) => {
    const store = await ownStore({
      async redis(place) {
        const { createRedisBudgetStore, spendLifeMs } = await import('./redis-store.ts');
        const alertPercents = config.alerting.thresholds.map(({ percent }) => percent);
        return createRedisBudgetStore({ ...place, alertPercents, spendLifeMs: spendLifeMs(config) });
      },
    });
    if (counting === undefined || store === undefined) return undefined;
    const [{ createBudgetCheck }, { createFindShared }, { createPricing }] = await Promise.all([
      import('./check.ts'),
      import('./shared.ts'),
      import('../../pricing/pricing.ts'),
    ]);
    const { check, close } = createBudgetCheck({
      ...counting.ledger,
      store,
      config,
      pricing: createPricing(config),
      findShared: createFindShared(config.budgets, createModelOf(config.providers.azure.deployments)),
    });
    onClose(close);
    return check;
  },
  { reads: ['session'] },
);
