import * as z from 'zod';

export const hostedToolsSettings = {
  provider_tools: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Tool types that the provider itself may run, such as `web_search`. The gateway cannot see the calls.',
    ),
  provider_tools_action: z
    .enum(['remove', 'deny'])
    .default('remove')
    .describe('Action on other provider-run tools: remove them from the request, or refuse the request.'),
  stored_prompts: z
    .enum(['deny', 'allow'])
    .default('deny')
    .describe(
      'Action on requests that refer to prompts, caches, presets or agents stored at the provider, which may contain tools and text that the gateway cannot see.',
    ),
};
