import type * as z from 'zod';
import { readLines } from './lines.ts';
import { readRow, type BadLine } from './rows.ts';

/** What is printed for one line: what was found, or that it could not be read. */
export type Scanned<Found> = { readonly found: Found } | { readonly bad: BadLine };

/** Scans a stream of JSON lines in its order, a row at a time. */
export async function* scanLines<Row, Found>(
  bytes: AsyncIterable<Uint8Array>,
  schema: z.ZodType<Row>,
  scan: (row: Row) => Found | Promise<Found>,
): AsyncGenerator<Scanned<Found>> {
  for await (const line of readLines(bytes)) {
    const read = readRow(line, schema);
    yield 'row' in read ? { found: await scan(read.row) } : { bad: read };
  }
}
