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
    const [{ createBudgetCheck }, { createFindShared }, { createToolCost }, { createPricing }] =
      await Promise.all([
        import('./check.ts'),
        import('./shared.ts'),
        import('./tool-costs.ts'),
        import('../../pricing/pricing.ts'),
      ]);
    const { ledger, usedRatios } = counting;
    const ratios =
      usedRatios && (await import('./used-ratios.ts')).createUsedRatios({ ...usedRatios, store });
    if (ratios !== undefined) onClose(ratios.close);
    const { check, close } = createBudgetCheck({
      ...ledger,
      onCharged(exchange, costNanoUsd) {
        ledger.onCharged(exchange, costNanoUsd);
        ratios?.charged(exchange);
      },
      store,
      config,
      pricing: createPricing(config),
      toolCost: createToolCost(config.mcp.servers),
      findShared: await createFindShared(config.budgets, createModelOf(config.providers.azure.deployments)),
    });
    onClose(close);
    return check;
  },
  { reads: ['session'] },
);
