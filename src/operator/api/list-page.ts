import type { PageQuery } from '../survey/page.ts';
import { ApiError } from './problem.ts';

/** Returns one page of a short, bounded list. */
export function listPage<Item>(
  all: readonly Item[],
  { limit, cursor = '0' }: PageQuery,
): { readonly items: readonly Item[]; readonly next?: string } {
  if (!/^\d{1,9}$/.test(cursor))
    throw new ApiError('invalid_request', 'the cursor does not belong to this list');
  const from = Number(cursor);
  const items = all.slice(from, from + limit);
  return { items, ...(from + limit < all.length && { next: String(from + limit) }) };
}
