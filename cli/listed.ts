import { Option, type Command } from 'commander';

import { globMatches } from '../src/text/glob.ts';
import { UsageError, type Io } from './command.ts';
import { printable } from './output.ts';

const DEFAULT_LIMIT = 10_000;
const MAX_LIMIT = 1_000_000;

export interface ListOptions {
  readonly limit: number;
  readonly sort: string;
  readonly filter?: readonly Filter[];
}

export interface Filter {
  readonly field: string;
  readonly glob: string;
}

/** Filterable fields and sort orders of a list. The first order is the default. */
export interface ListShape<Row> {
  readonly fields: Readonly<Record<string, (row: Row) => string | undefined>>;
  readonly orders: Readonly<Record<string, (one: Row, other: Row) => number>>;
}

export function withList<Row>(command: Command, { fields, orders }: ListShape<Row>): Command {
  const names = Object.keys(orders);
  return command
    .addOption(new Option('--limit <n>', 'maximum number of rows').argParser(limitOf).default(DEFAULT_LIMIT))
    .addOption(new Option('--sort <order>', 'order of the rows').choices(names).default(names[0]))
    .addOption(
      new Option(
        '--filter <field=glob>',
        `only rows whose field matches (${Object.keys(fields).join(', ')}); can be repeated`,
      ).argParser((text: string, before: readonly Filter[] | undefined) => [
        ...(before ?? []),
        filterOf(text, Object.keys(fields)),
      ]),
    );
}

function limitOf(text: string): number {
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`--limit must be a number from 1 to ${String(MAX_LIMIT)}, for example: --limit 20`);
}

function filterOf(text: string, fields: readonly string[]): Filter {
  const [field = '', ...glob] = text.split('=');
  if (glob.length > 0 && fields.includes(field)) return { field, glob: glob.join('=') };
  throw new UsageError(
    `--filter: "${printable(text)}" must have the form field=glob, with one of these fields: ${fields.join(', ')}. For example: --filter ${fields[0] ?? ''}=a*`,
  );
}

export interface Listed<Row> {
  readonly rows: readonly Row[];
  /** Number of matching rows; undefined if not all rows were counted. */
  readonly total: number | undefined;
}

export interface Rows<Row> {
  readonly rows: AsyncIterable<Row> | Iterable<Row>;
  /** Whether the rows arrive in the chosen order. */
  readonly isSorted?: boolean;
  /** Number of rows, if known. */
  readonly total?: number;
}

/** Maximum number of rows that a sorted list reads past its limit, to count the rows left out. */
const MAX_COUNTED_PAST_LIMIT = 10_000;

/** Returns the first rows in the chosen order. Keeps at most twice the limit in memory. */
export function listed<Row>(
  all: Rows<Row>,
  shape: ListShape<Row>,
  options: ListOptions,
): Promise<Listed<Row>> {
  return all.isSorted === true ? firstRows(all, shape, options) : bestRows(all, shape, options);
}

async function bestRows<Row>(
  { rows: all }: Rows<Row>,
  { fields, orders }: ListShape<Row>,
  { limit, sort, filter = [] }: ListOptions,
): Promise<Listed<Row>> {
  const order = orders[sort];
  if (order === undefined) throw new UsageError(`--sort: unknown order "${printable(sort)}"`);
  let rows: Row[] = [];
  let total = 0;
  /** The last of the best rows so far. */
  let last: Row | undefined;
  for await (const row of all) {
    if (!matches(row, fields, filter)) continue;
    total += 1;
    if (last !== undefined && order(row, last) >= 0) continue;
    rows.push(row);
    if (rows.length < 2 * limit) continue;
    rows = rows.toSorted(order).slice(0, limit);
    last = rows.at(-1);
  }
  return { rows: rows.toSorted(order).slice(0, limit), total };
}

async function firstRows<Row>(
  { rows: all, total: known }: Rows<Row>,
  { fields }: ListShape<Row>,
  { limit, filter = [] }: ListOptions,
): Promise<Listed<Row>> {
  const rows: Row[] = [];
  let total = 0;
  let beyond = 0;
  for await (const row of all) {
    if (total >= limit) {
      if (filter.length === 0 && known !== undefined) return { rows, total: known };
      beyond += 1;
      if (beyond > MAX_COUNTED_PAST_LIMIT) return { rows, total: undefined };
    }
    if (!matches(row, fields, filter)) continue;
    total += 1;
    if (rows.length < limit) rows.push(row);
  }
  return { rows, total };
}

export function matches<Row>(row: Row, fields: ListShape<Row>['fields'], filter: readonly Filter[]): boolean {
  return filter.every(({ field, glob }) => globMatches(glob, fields[field]?.(row) ?? ''));
}

export function reportOmitted(io: Io, { rows, total }: Listed<unknown>): void {
  if (rows.length === total) return;
  const shown =
    total === undefined
      ? `${String(rows.length)} shown; there may be more`
      : `${String(rows.length)} of ${String(total)} shown`;
  io.stderr.write(`gateway: ${shown}. Use --limit to show more, or --filter to narrow the list\n`);
}
