import { formatUsd } from '../src/pricing/usd.ts';
import type { SpendRow } from '../src/spend/sums.ts';

const BAR_CELLS = 30;

/** Draws a bar whose length is the share of the largest row. */
export function spendBar(nanoUsd: number, largest: number): string {
  return largest <= 0 ? '' : '█'.repeat(Math.max(0, Math.round((nanoUsd / largest) * BAR_CELLS)));
}

/** Returns rows as CSV (RFC 4180). A group that a spreadsheet would compute is quoted by an apostrophe. */
export function spendCsv(by: string, rows: readonly SpendRow[]): string {
  const hasBuckets = rows.some(({ bucket }) => bucket !== undefined);
  const head = [...(hasBuckets ? ['from'] : []), by, 'usd'];
  const lines = rows.map(({ group, bucket, nanoUsd }) => [
    ...(hasBuckets ? [bucket ?? ''] : []),
    /^[=+\-@\t]./.test(group) ? `'${group}` : group,
    formatUsd(nanoUsd),
  ]);
  return [head, ...lines].map((cells) => cells.map(csvCell).join(',')).join('\r\n');
}

function csvCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
