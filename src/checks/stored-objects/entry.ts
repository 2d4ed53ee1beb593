import { checkEntry } from '../entry.ts';

export const storedObjects = checkEntry(async ({ proxy }, { ownStore }) => {
  // A recorded trace may lack the answer that created an object.
  const store = await ownStore({
    async redis(place) {
      const { createRedisStoredObjectStore } = await import('./store.ts');
      return createRedisStoredObjectStore(place);
    },
  });
  if (store === undefined) return undefined;
  const { createStoredObjectsCheck } = await import('./check.ts');
  return createStoredObjectsCheck({ store, shared: proxy.shared_objects });
});
