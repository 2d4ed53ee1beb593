import { newOperationId } from '../../operation-id.ts';
import { checkEntry } from '../entry.ts';

export const mcp = checkEntry(async ({ mcp: config }, { stores, authenticateAgain }) => {
  const [{ createMcpCheck }, { createSessionBinding }] = await Promise.all([
    import('./check.ts'),
    import('./session-binding/binding.ts'),
  ]);
  return createMcpCheck({
    binding: createSessionBinding(stores.mcpSessions),
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
