import { describe } from 'vitest';
import { createMemoryBreakerStore } from '../../../src/checks/mcp-breaker/memory-store.ts';
import { breakerStoreContract, SETTINGS } from '../../integration/mcp-breaker/contract.ts';

describe('circuits in memory', () => {
  breakerStoreContract((now) => createMemoryBreakerStore({ ...SETTINGS, now }));
});
