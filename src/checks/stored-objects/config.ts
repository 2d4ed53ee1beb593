import * as z from 'zod';

/** Keys of `proxy` (docs/stored-objects.md). */
export const storedObjectsSettings = {
  shared_objects: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Ids of objects, stored at providers under a gateway credential, that all keys may use; `*` matches any characters. Other objects belong to the key that created them.',
    ),
};
