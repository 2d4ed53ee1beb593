import * as z from 'zod';

/** Keys of `proxy` (docs/stored-objects.md). */
export const storedObjectsSettings = {
  shared_objects: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Objects stored at providers under a credential of the gateway that all keys may use: ids, with `*` for any text. Other objects belong to the key that created them.',
    ),
};
