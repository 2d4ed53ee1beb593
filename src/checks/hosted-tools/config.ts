import * as z from 'zod';

/** Keys of `proxy` (docs/hosted-tools.md). */
export const hostedToolsSettings = {
  /** Tool types that the provider may run itself. */
  provider_tools: z.array(z.string().min(1)).default([]),
  /** What becomes of the other types. */
  provider_tools_action: z.enum(['remove', 'deny']).default('remove'),
  /** Prompts, caches, presets and agents that are stored at the provider, and may bring such tools along unseen. */
  stored_prompts: z.enum(['deny', 'allow']).default('deny'),
};
