import type { ScratchCopy } from './scratch-copy.ts';

const ENTRY = `
import * as z from 'zod';
import { section } from '../../config/fields.ts';
import { configuredCheck } from '../entry.ts';

const tallying = section({ max_capitals: z.int().min(0).default(40) }).prefault({});

export const tally = configuredCheck({ tallying }, async ({ tallying: { max_capitals } }, { ownStore }) => {
  const { createTallyCheck } = await import('./check.ts');
  const store = await ownStore({
    async redis(place) {
      const { createRedisTallyStore } = await import('./redis-store.ts');
      return createRedisTallyStore(place);
    },
    async memory() {
      const { createMemoryTallyStore } = await import('./memory-store.ts');
      return createMemoryTallyStore();
    },
  });
  return createTallyCheck(max_capitals, store);
});
`;

const STORE = `
export interface TallyStore {
  /** Returns the key's total. */
  add(keyHash: string, capitals: number): Promise<number>;
}
`;

const MEMORY_STORE = `
import type { TallyStore } from './store.ts';

export function createMemoryTallyStore(): TallyStore {
  const totals = new Map<string, number>();
  return {
    add(keyHash, capitals) {
      const total = (totals.get(keyHash) ?? 0) + capitals;
      totals.set(keyHash, total);
      return Promise.resolve(total);
    },
  };
}
`;

const REDIS_STORE = `
import { tallyKey } from '../../redis/keys.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import type { OnRedis } from '../services.ts';
import type { TallyStore } from './store.ts';

export function createRedisTallyStore({ client, deadlineMs }: OnRedis): TallyStore {
  return {
    add: (keyHash, capitals) =>
      withRedisDeadline(deadlineMs, () => client.incrby(tallyKey(keyHash), capitals)),
  };
}
`;

const CHECK = `
import { PASS, type Check } from '../../pipeline/check.ts';
import type { TallyStore } from './store.ts';

export function createTallyCheck(maxCapitals: number, store: TallyStore): Check<unknown, 'tally'> {
  return {
    name: 'tally',
    shadowable: true,
    async requestBody({ key, request }) {
      const capitals = request.texts.flatMap(({ text }) => text.match(/[A-Z]/g) ?? []).length;
      const total = await store.add(key.keyHash, capitals);
      if (total <= maxCapitals) return PASS;
      return { kind: 'deny', type: 'policy_denied', message: \`\${total} capitals so far\` };
    },
  };
}
`;

/** Adds a check that counts the capitals of each key's requests: its folder, its line and the name of its key. */
export function addTallyCheck(scratch: ScratchCopy): void {
  scratch.write('src/checks/tally/entry.ts', ENTRY);
  scratch.write('src/checks/tally/check.ts', CHECK);
  scratch.write('src/checks/tally/store.ts', STORE);
  scratch.write('src/checks/tally/memory-store.ts', MEMORY_STORE);
  scratch.write('src/checks/tally/redis-store.ts', REDIS_STORE);
  scratch.replace('src/checks/order.ts', /^ {2}loop,.*$/m, '$&\n  tally, // by the earlier requests');
  scratch.replace('src/checks/order.ts', /^/, `import { tally } from './tally/entry.ts';\n`);
  scratch.replace(
    'src/redis/keys.ts',
    /$/,
    '\nexport const tallyKey = (keyHash: string): string => `gateway:tally:${tag(keyHash)}`;\n',
  );
}
