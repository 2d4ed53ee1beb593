import { configuredCheck } from '../entry.ts';
import { loopDetection } from './config.ts';

export const loop = configuredCheck(
  { loop_detection: loopDetection },
  async ({ loop_detection: config, server }, { ownStore }) => {
    const { createLoopCheck } = await import('./check.ts');
    const store = await ownStore({
      async redis(place) {
        const { createRedisLoopStore } = await import('./redis-store.ts');
        return createRedisLoopStore(place);
      },
      async memory({ now }) {
        const { createMemoryLoopStore } = await import('./memory-store.ts');
        return createMemoryLoopStore(now);
      },
    });
    return createLoopCheck({ config, store, shadowMode: server.shadow_mode });
  },
  { reads: ['session', 'isReadAhead', 'prompt'] },
);
