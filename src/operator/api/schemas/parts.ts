/**
 * The contract of the operator's API: its answers. Routes check against these schemas, OpenAPI is made from them, and the
 * page imports their types. Bodies of changes are in `../bodies.ts`.
 *
 * Times are ISO 8601 in UTC, money is USD, and an absent value is null. No answer contains a prompt, an argument or an
 * answer of a request. Only approvers see masked arguments of pending calls.
 */
import * as z from 'zod';

export const time = z.iso.datetime();
export const usd = z.number();
export const count = z.int().min(0);
/** `sha256:` and 64 hex digits: identifies a proxy key. */
export const keyHash = z.string();
export const texts = z.array(z.string());

/** A page of a list: `next` is the cursor of the following page. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), next: z.string().optional() });
}

/**
 * A page of a list that is sorted or searched over all keys. The rows are current; their order is as of `as_of`.
 * `complete: false`: not all keys have been read yet, so ask again soon.
 */
export function surveyOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next: z.string().optional(),
    /** Matching rows on all pages. */
    total: count,
    as_of: time,
    complete: z.boolean(),
  });
}
