import { checkEntry } from '../entry.ts';

export const hostedTools = checkEntry(async ({ proxy }) => {
  const { createHostedToolsCheck } = await import('./check.ts');
  return createHostedToolsCheck({
    allowed: proxy.provider_tools,
    action: proxy.provider_tools_action,
    storedPrompts: proxy.stored_prompts,
  });
});
