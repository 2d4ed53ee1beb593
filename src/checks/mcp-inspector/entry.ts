import { checkEntry } from '../entry.ts';

export const mcpInspector = checkEntry(
  async ({ mcp, server }, { ownStore, observer, reportSecretLeak }) => {
    const { createMcpInspectorCheck } = await import('./check.ts');
    const pins = await ownStore({
      async redis(place) {
        const { createRedisPinStore } = await import('./redis-store.ts');
        return createRedisPinStore(place);
      },
      async memory({ now }) {
        const { createMemoryPinStore } = await import('./memory-store.ts');
        return createMemoryPinStore(now);
      },
    });
    const keepDefinitions = await ownStore({
      async redis(place) {
        const { createDefinitionStore } = await import('./definition-store.ts');
        const { createKeepDefinitions } = await import('./keep-definitions.ts');
        return createKeepDefinitions(createDefinitionStore(place));
      },
      memory: () => Promise.resolve(undefined),
    });
    return createMcpInspectorCheck({
      config: mcp,
      shadowMode: server.shadow_mode,
      pins,
      keepDefinitions,
      audit: observer.audit,
      reportSecretLeak,
    });
  },
  { reads: ['session'] },
);
