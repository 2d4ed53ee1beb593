import { checkEntry } from '../entry.ts';
import { CALL_LEASE_MS } from './store.ts';

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
      renewAfterMs: Math.min(CALL_LEASE_MS, config.ttl) / 3,
    });
    onClose(close);
    return check;
  },
  { writes: ['session', 'isReadAhead'] },
);
