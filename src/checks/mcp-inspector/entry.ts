import { checkEntry } from '../entry.ts';

export const mcpInspector = checkEntry(
  async ({ mcp, server }, { stores, observer, reportSecretLeak }) => {
    const { createMcpInspectorCheck } = await import('./check.ts');
    return createMcpInspectorCheck({
      config: mcp,
      shadowMode: server.shadow_mode,
      pins: stores.pins,
      audit: observer.audit,
      reportSecretLeak,
    });
  },
  { reads: ['session'] },
);
