import { describe } from 'vitest';
import { createMemoryBreakerStore } from '../../../support/stores/mcp-breaker.ts';
import { breakerStoreContract, SETTINGS } from '../../../contracts/mcp-breaker-store.ts';

describe('circuits in memory', () => {
  breakerStoreContract((now) => createMemoryBreakerStore({ ...SETTINGS, now }));
});
