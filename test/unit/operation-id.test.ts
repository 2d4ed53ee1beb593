import { expect, it } from 'vitest';
import { newOperationId } from '../../src/operation-id.ts';

it('operation ids are 128 bits in hex and unique, from whichever pool they come', () => {
  const ids = Array.from({ length: 2_000 }, newOperationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
});
