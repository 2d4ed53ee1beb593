import type { StreamStore } from './stream-store.ts';
import { readRecord, type TailedRecord } from './tail.ts';

const PAGE = 500;
/** Of one request; a stream may have left more. */
const MAX_RECORDS = 1_000;

/** Records of one request, oldest first. */
export interface Story {
  readonly records: readonly TailedRecord[];
  /** Records that were looked at. */
  readonly read: number;
}

/**
 * Pages backwards through the streams, one page in memory at a time.
 * @param onPage told how many records were read so far
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
    for (const one of page) {
      const found = recordOf(one.record, requestId);
      if (found !== undefined && records.length < MAX_RECORDS) records.unshift(found);
    }
    before = page.at(-1)?.id ?? before;
    if (page.length < PAGE) return { records, read };
    onPage(read);
  }
}

/** The same of the trail's file, of which the lines of one request are kept. */
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

/** Parses only what names the request: nearly all of the stream is about others. */
function recordOf(line: string, requestId: string): TailedRecord | undefined {
  if (!line.includes(JSON.stringify(requestId))) return undefined;
  const record = readRecord(line);
  const { metadata } = record ?? {};
  const isOfIt =
    typeof metadata === 'object' &&
    metadata !== null &&
    'correlation_uid' in metadata &&
    metadata.correlation_uid === requestId;
  return record !== undefined && isOfIt ? { line, record } : undefined;
}
