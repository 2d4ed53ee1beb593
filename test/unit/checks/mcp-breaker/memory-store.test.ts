import { describe } from 'vitest';
import { createMemoryBreakerStore } from '../../../../src/checks/mcp-breaker/memory-store.ts';
import { breakerStoreContract, SETTINGS } from '../../../contracts/mcp-breaker-store.ts';

describe('circuits in memory', () => {
  breakerStoreContract((now) => createMemoryBreakerStore({ ...SETTINGS, now }));
});
