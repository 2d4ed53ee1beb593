import * as z from 'zod';
import { type Line, readLines } from './lines.ts';

const rowId = z.union([z.string(), z.number()], { error: 'must be a string or a number' });

export const textRow = z.object({
  id: rowId,
  text: z.string({ error: 'must be a string' }),
});
export type TextRow = z.infer<typeof textRow>;

const texts = z.array(z.string({ error: 'must be a string' }), { error: 'must be a list of strings' });

export const conversationRow = z.object({
  id: rowId,
  turns: texts,
  /** Assistant replies. There may be fewer replies than turns, or none. */
  replies: texts.nullish().transform((replies) => replies ?? []),
});
export type ConversationRow = z.infer<typeof conversationRow>;

/** A line that is not a valid row, with its `id` if that could be read. */
export interface BadLine {
  readonly id?: string | number;
  readonly line: number;
  readonly error: string;
}

/** Parses one line of JSON as a row. Unknown fields are ignored. */
export function readRow<Row>(line: Line, schema: z.ZodType<Row>): { readonly row: Row } | BadLine {
  if ('problem' in line) return { line: line.number, error: line.problem };
  let value: unknown;
  try {
    // Files from other systems may begin with a byte order mark, which is not valid JSON.
    value = JSON.parse(line.number === 1 ? line.text.replace(/^\uFEFF/, '') : line.text);
  } catch {
    return { line: line.number, error: 'is not JSON' };
  }
  const { data, error } = schema.safeParse(value);
  if (data !== undefined) return { row: data };
  const id = z.object({ id: rowId }).safeParse(value).data?.id;
  return { ...(id === undefined ? {} : { id }), line: line.number, error: problemInWords(error) };
}

function problemInWords(error: z.ZodError | undefined): string {
  const issue = error?.issues[0];
  if (issue === undefined || issue.path.length === 0) return 'is not a JSON object';
  return `${issue.path.join('.')} ${issue.message}`;
}

export type Scanned<Found> = { readonly found: Found } | { readonly bad: BadLine };

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
