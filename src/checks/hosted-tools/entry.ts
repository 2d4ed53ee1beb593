import { checkEntry } from '../entry.ts';

export const providerTools = checkEntry(async ({ proxy }) => {
  const { createProviderToolsCheck } = await import('./check.ts');
  return createProviderToolsCheck({
    allowed: proxy.provider_tools,
    action: proxy.provider_tools_action,
    storedPrompts: proxy.stored_prompts,
  });
});
