import { newOperationId } from '../../operation-id.ts';
import { checkEntry } from '../entry.ts';
import type { McpSessionStore } from './session-binding/store.ts';

interface Stores {
  readonly sessions: McpSessionStore;
  readonly tasks: Pick<McpSessionStore, 'bind' | 'use'>;
}

export const mcp = checkEntry(async ({ mcp: config, session }, { stores, ownStore, authenticateAgain }) => {
  const [{ createMcpCheck }, { createSessionBinding }, { createTaskBinding }] = await Promise.all([
    import('./check.ts'),
    import('./session-binding/binding.ts'),
    import('./task-binding.ts'),
  ]);
  const ttlMs = session.ttl;
  const { sessions, tasks } = await ownStore<Stores>({
    async redis(place) {
      const { createRedisMcpSessionStore } = await import('./session-binding/redis-store.ts');
      const store = createRedisMcpSessionStore({ ...place, ttlMs });
      return { sessions: store, tasks: store };
    },
    async memory({ now }) {
      const { createMemoryMcpSessionStore } = await import('./session-binding/memory-store.ts');
      const store = createMemoryMcpSessionStore({ ttlMs, now });
      // A recorded trace may lack the answer that started a task.
      return { sessions: store, tasks: { bind: store.bind, use: store.bind } };
    },
  });
  return createMcpCheck({
    binding: createSessionBinding(sessions),
    tasks: createTaskBinding(tasks),
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
