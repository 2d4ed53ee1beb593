import { expect, it } from 'vitest';
import { createRedisBudgetStore } from '../../../src/checks/budget/redis-store.ts';
import { readSharedBudgets } from '../../../src/operator/views/shared-budgets.ts';
import { createSharedBudgetStore } from '../../../src/shared-budgets/store.ts';
import { startTestRedis } from '../../support/redis.ts';
import { connect } from '../checks/budget/support.ts';

// An unhandled rejection ends the process, and fails this file's run.
it('unreadable shared budgets are one failure', async () => {
  const redis = await startTestRedis();
  const client = await connect(redis.addr);
  const options = { client, deadlineMs: 2_500, alertPercents: [], spendLifeMs: undefined };
  const budgets = createRedisBudgetStore(options);
  const sharedBudgets = createSharedBudgetStore(options);
  client.disconnect();
  const configured = ['one', 'two'].map((name) => ({ name, match: {}, time_zone: 'UTC', daily: 1 }));
  const reading = readSharedBudgets({ budgets, sharedBudgets }, configured);
  await expect(reading).rejects.toMatchObject({ type: 'redis_unavailable' });
  await redis.close();
});
