import { checkEntry } from '../entry.ts';

export const drift = checkEntry(
  async ({ session }, { ownStore, policies }) => {
    const { createDriftCheck } = await import('./check.ts');
    const store = await ownStore({
      async redis(place) {
        const { createRedisDriftStore } = await import('./redis-store.ts');
        return createRedisDriftStore({ ...place, ttlMs: session.ttl });
      },
      async memory() {
        const { createMemoryDriftStore } = await import('./memory-store.ts');
        return createMemoryDriftStore();
      },
    });
    return createDriftCheck({
      config: session.drift_detection,
      store,
      ...(policies !== undefined && { isReadByPolicies: () => policies.current().readsDrift }),
    });
  },
  { reads: ['session', 'isReadAhead'], writes: ['drift'] },
);
