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

/** Compares a field of a row with a glob. */
export interface Filter {
  readonly field: string;
  readonly glob: string;
}

/** The fields by which a list can be filtered, and the orders it can have. The first order is the default. */
export interface ListShape<Row> {
  readonly fields: Readonly<Record<string, (row: Row) => string | undefined>>;
  readonly orders: Readonly<Record<string, (one: Row, other: Row) => number>>;
}

/** Adds `--limit`, `--sort` and `--filter`. */
export function withList<Row>(command: Command, { fields, orders }: ListShape<Row>): Command {
  const names = Object.keys(orders);
  return command
    .addOption(
      new Option('--limit <n>', 'how many rows to show at most').argParser(limitOf).default(DEFAULT_LIMIT),
    )
    .addOption(new Option('--sort <order>', 'order of the rows').choices(names).default(names[0]))
    .addOption(
      new Option(
        '--filter <field=glob>',
        `only rows whose field matches (${Object.keys(fields).join(', ')}); may be repeated`,
      ).argParser((written: string, before: readonly Filter[] | undefined) => [
        ...(before ?? []),
        filterOf(written, Object.keys(fields)),
      ]),
    );
}

function limitOf(written: string): number {
  const limit = /^\d{1,7}$/.test(written) ? Number(written) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`--limit: a number from 1 to ${String(MAX_LIMIT)}, for example: --limit 20`);
}

function filterOf(written: string, fields: readonly string[]): Filter {
  const [field = '', ...glob] = written.split('=');
  if (glob.length > 0 && fields.includes(field)) return { field, glob: glob.join('=') };
  throw new UsageError(
    `--filter: "${printable(written)}" is not field=glob. Fields: ${fields.join(', ')}. For example: --filter ${fields[0] ?? ''}=a*`,
  );
}

export interface Listed<Row> {
  readonly rows: readonly Row[];
  /** Rows that match, shown or not. */
  readonly total: number;
}

/** Returns the first rows in the chosen order. Keeps at most twice the limit in memory, however many rows there are. */
export async function listed<Row>(
  all: AsyncIterable<Row>,
  { fields, orders }: ListShape<Row>,
  { limit, sort, filter = [] }: ListOptions,
): Promise<Listed<Row>> {
  const order = orders[sort];
  if (order === undefined) throw new UsageError(`--sort: "${printable(sort)}" is not an order`);
  let rows: Row[] = [];
  let total = 0;
  for await (const row of all) {
    if (!filter.every(({ field, glob }) => globMatches(glob, fields[field]?.(row) ?? ''))) continue;
    total += 1;
    rows.push(row);
    if (rows.length >= 2 * limit) rows = rows.toSorted(order).slice(0, limit);
  }
  return { rows: rows.toSorted(order).slice(0, limit), total };
}

/** Tells on standard error that rows were left out. */
export function noteLeftOut(io: Io, { rows, total }: Listed<unknown>): void {
  if (rows.length < total)
    io.stderr.write(
      `gateway: ${String(rows.length)} of ${String(total)} shown. Use --limit for more, --filter for others\n`,
    );
}
