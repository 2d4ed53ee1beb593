import { checkEntry } from '../entry.ts';
import { LEASE_MS, renewAfterMs } from '../lease.ts';

export const session = checkEntry(
  async ({ session: config }, { stores, observer, onClose }) => {
    const [{ createSessionCheck }, { maskSecrets }] = await Promise.all([
      import('./check.ts'),
      import('../../detectors/mask.ts'),
    ]);
    const { check, close } = createSessionCheck({
      store: stores.sessions,
      required: config.required,
      maskSecrets,
      onFailure: observer.callNotEnded,
      renewAfterMs: renewAfterMs(Math.min(LEASE_MS, config.ttl)),
    });
    onClose(close);
    return check;
  },
  { writes: ['session', 'isReadAhead'] },
);
