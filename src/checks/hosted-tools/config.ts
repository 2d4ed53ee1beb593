import * as z from 'zod';

/** Keys of `proxy` (docs/hosted-tools.md). */
export const hostedToolsSettings = {
  /** Tool types that the provider may run itself. */
  provider_tools: z.array(z.string().min(1)).default([]),
  /** Whether other types are removed or the request is denied. */
  provider_tools_action: z.enum(['remove', 'deny']).default('remove'),
  /** Prompts, caches, presets and agents stored at the provider, which may bring such tools unseen. */
  stored_prompts: z.enum(['deny', 'allow']).default('deny'),
};
