import { newOperationId } from '../../operation-id.ts';
import { checkEntry } from '../entry.ts';

export const mcp = checkEntry(async ({ mcp: config, session }, { stores, ownStore, authenticateAgain }) => {
  const [{ createMcpCheck }, { createSessionBinding }] = await Promise.all([
    import('./check.ts'),
    import('./session-binding/binding.ts'),
  ]);
  const ttlMs = session.ttl;
  const sessions = await ownStore({
    async redis(place) {
      const { createRedisMcpSessionStore } = await import('./session-binding/redis-store.ts');
      return createRedisMcpSessionStore({ ...place, ttlMs });
    },
    async memory({ now }) {
      const { createMemoryMcpSessionStore } = await import('./session-binding/memory-store.ts');
      return createMemoryMcpSessionStore({ ttlMs, now });
    },
  });
  return createMcpCheck({
    binding: createSessionBinding(sessions),
    async scorePolicyBlock(keyHash, findings) {
      await stores.risk.record({
        trigger: 'policy_block',
        keyHash,
        findings,
        operationId: newOperationId(),
      });
    },
    authenticateAgain,
    unknownMethods: config.unknown_methods,
  });
});
