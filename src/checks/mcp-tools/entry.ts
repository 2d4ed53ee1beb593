import { checkEntry } from '../entry.ts';

export const mcpTools = checkEntry(async () => (await import('./check.ts')).createMcpToolsCheck());
