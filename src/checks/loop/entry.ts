import { configuredCheck } from '../entry.ts';
import { loopDetection } from './config.ts';

export const loop = configuredCheck(
  { loop_detection: loopDetection },
  async ({ loop_detection: config, server }, { stores }) => {
    const { createLoopCheck } = await import('./check.ts');
    return createLoopCheck({ config, store: stores.loops, shadowMode: server.shadow_mode });
  },
  { reads: ['session', 'isReadAhead', 'prompt'] },
);
