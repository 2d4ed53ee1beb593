import { createModelOf } from '../../pricing/deployments.ts';
import { checkEntry } from '../entry.ts';

export const hostedTools = checkEntry(
  async ({ proxy, providers }) => {
    const { createHostedToolsCheck } = await import('./check.ts');
    return createHostedToolsCheck({
      allowed: proxy.provider_tools,
      action: proxy.provider_tools_action,
      storedPrompts: proxy.stored_prompts,
      modelOf: createModelOf(providers.azure.deployments),
    });
  },
  { writes: ['toolModels'] },
);
