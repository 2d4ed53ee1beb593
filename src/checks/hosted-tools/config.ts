import * as z from 'zod';

export const hostedToolsSettings = {
  provider_tools: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Tool types that the provider itself may run, such as `web_search`. The gateway cannot see what they do.',
    ),
  provider_tools_action: z
    .enum(['remove', 'deny'])
    .default('remove')
    .describe('Remove other provider-run tools from requests, or refuse the request.'),
  stored_prompts: z
    .enum(['deny', 'allow'])
    .default('deny')
    .describe(
      'Prompts, caches, presets and agents stored at the provider, which may bring tools and text that the gateway cannot see.',
    ),
};
