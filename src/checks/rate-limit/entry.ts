import { configuredCheck } from '../entry.ts';
import { rateLimitSection as section } from './config.ts';

export const rateLimit = configuredCheck(
  { rate_limit: section },
  async ({ rate_limit: config }, { ownStore }) => {
    const store = await ownStore({
      async redis(place) {
        const { createRedisRateLimitStore } = await import('./store.ts');
        return createRedisRateLimitStore(place);
      },
    });
    if (store === undefined) return undefined;
    const { createRateLimitCheck } = await import('./check.ts');
    return createRateLimitCheck({ config, store });
  },
);
