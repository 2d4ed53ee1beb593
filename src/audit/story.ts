import type { StreamStore } from './stream-store.ts';
import { readRecord, type TailedRecord } from './tail.ts';

const PAGE = 500;
/** Limit on returned records; a request with a long stream may have more. */
const MAX_RECORDS = 1_000;

/** The records of one request, oldest first. */
export interface Story {
  readonly records: readonly TailedRecord[];
  /** Number of records scanned. */
  readonly read: number;
}

/**
 * Reads the streams backwards, one page at a time.
 * @param onPage called with the number of records read so far
 * @throws GatewayError redis_unavailable
 */
export async function storyOf(
  store: Pick<StreamStore, 'before'>,
  requestId: string,
  onPage: (read: number) => void,
): Promise<Story> {
  const records: TailedRecord[] = [];
  let before = '+';
  let read = 0;
  for (;;) {
    const page = await store.before(before, PAGE);
    read += page.length;
    for (const { record } of page) {
      const found = recordOf(record, requestId);
      if (found !== undefined && records.length < MAX_RECORDS) records.unshift(found);
    }
    before = page.at(-1)?.id ?? before;
    if (page.length < PAGE) return { records, read };
    onPage(read);
  }
}

/** Finds the first records of a request in an audit file. */
export async function storyInFile(
  lines: AsyncIterable<string>,
  requestId: string,
  onLine: (read: number) => void,
): Promise<Story> {
  const records: TailedRecord[] = [];
  let read = 0;
  for await (const line of lines) {
    onLine(++read);
    const found = recordOf(line, requestId);
    if (found !== undefined && records.length < MAX_RECORDS) records.push(found);
  }
  return { records, read };
}

/** Parses only lines that contain the request id. */
function recordOf(line: string, requestId: string): TailedRecord | undefined {
  if (!line.includes(JSON.stringify(requestId))) return undefined;
  const record = readRecord(line);
  const { metadata } = record ?? {};
  const isOfRequest =
    typeof metadata === 'object' &&
    metadata !== null &&
    'correlation_uid' in metadata &&
    metadata.correlation_uid === requestId;
  return record !== undefined && isOfRequest ? { line, record } : undefined;
}
