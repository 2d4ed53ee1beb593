/**
 * Operator API answers. The listener validates answers with these schemas, OpenAPI is generated from them, and the page
 * imports their types. Request queries and bodies are in `../bodies.ts`.
 *
 * Times are in ISO 8601 in UTC, money is in USD, and absent values are null. Answers contain no prompts, arguments or
 * model answers, except masked ones: arguments and prompts of waiting requests, for approvers, and the first user
 * request of a session, for operators.
 */
import * as z from 'zod';

export const time = z.iso.datetime();
export const usd = z.number();
export const count = z.int().min(0);
/** Identifies a proxy key: `sha256:` and 64 hex digits. */
export const keyHash = z.string();
export const texts = z.array(z.string());

/** A page of a list. `next` is the cursor of the following page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().optional() });
}

/**
 * A page of a list that is sorted or searched over all keys. The rows are current; their order dates from `as_of`. If
 * `complete` is false, not all keys have been read yet; ask again soon.
 */
export function surveyOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next: z.string().optional(),
    /** Number of matching rows on all pages. */
    total: count,
    as_of: time,
    complete: z.boolean(),
  });
}
