import { checkEntry } from '../entry.ts';

export const drift = checkEntry(
  async ({ session }, { stores, policies }) => {
    const { createDriftCheck } = await import('./check.ts');
    return createDriftCheck({
      config: session.drift_detection,
      store: stores.drift,
      ...(policies !== undefined && { isAskedFor: () => policies.current().readsDrift }),
    });
  },
  { reads: ['session', 'isReadAhead'], writes: ['drift'] },
);
