import type { KeyRecord } from '../auth/key-record.ts';
import { MCP } from '../checks/budget/spend-label.ts';
import { dayText, type Spent } from './store.ts';

export interface SpendRow {
  readonly group: string;
  /** First day of the bucket, such as `2026-11-26`; `2026-11` for a month; absent for `total`. */
  readonly bucket?: string;
  readonly nanoUsd: number;
}

export type Bucket = 'day' | 'week' | 'month' | 'total';

/** A Monday in Unix days, from which weeks are counted. */
const A_MONDAY = 4;
const UNSET = '-';

export function groupOf(by: string, { name, owner, tags }: KeyRecord, { provider, model }: Spent): string {
  switch (by) {
    case 'owner':
      return owner ?? UNSET;
    case 'key':
      return name;
    case 'provider':
      return provider;
    case 'model':
      return model;
    case 'tool':
      return provider.startsWith(MCP) ? `${provider.slice(MCP.length)}/${model}` : UNSET;
    // `tag:NAME`, or `team`, which is short for the tag `team`.
    default: {
      const tag = by.slice(by.indexOf(':') + 1);
      return Object.hasOwn(tags, tag) ? (tags[tag] ?? UNSET) : UNSET;
    }
  }
}

function bucketOf(bucket: Bucket, day: number): string {
  switch (bucket) {
    case 'day':
      return dayText(day);
    case 'week':
      return dayText(day - ((((day - A_MONDAY) % 7) + 7) % 7));
    case 'month':
      return dayText(day).slice(0, 7);
    case 'total':
      return '';
  }
}

export class SpendSums {
  readonly #sums = new Map<string, SpendRow>();
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  add(group: string, { day, nanoUsd }: Spent): void {
    const bucket = bucketOf(this.#bucket, day);
    const place = `${bucket}\n${group}`;
    const before = this.#sums.get(place)?.nanoUsd ?? 0;
    this.#sums.set(place, { group, ...(bucket !== '' && { bucket }), nanoUsd: before + nanoUsd });
  }

  /** Returns the sums, sorted by bucket, oldest first, then by amount, largest first. */
  rows(): SpendRow[] {
    return [...this.#sums.values()].sort(
      (one, other) =>
        (one.bucket ?? '').localeCompare(other.bucket ?? '') ||
        other.nanoUsd - one.nanoUsd ||
        one.group.localeCompare(other.group),
    );
  }
}
