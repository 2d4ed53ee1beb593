import type { RedisClient } from '../redis/client.ts';
import { AUDIT_COUNTS, AUDIT_OVERFLOW_STREAM, AUDIT_STREAM, auditBatchKey } from '../redis/keys.ts';
import { loadScript } from '../redis/script.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';

const appendScript = loadScript(new URL('./append-records.lua', import.meta.url));

/** Must exceed the time between attempts to append a batch. */
const REMEMBERED_MS = 600_000;
const COUNTED_MS = 86_400_000;
/** A key may fill one of this many shares of the stream. Its further records go to the overflow stream. */
const SHARES = 10;
const STREAMS = [AUDIT_STREAM, AUDIT_OVERFLOW_STREAM];
const FIELD = 'ocsf';

export interface StreamStoreOptions {
  readonly client: RedisClient;
  readonly deadlineMs: number;
  readonly maxLength: number;
}

export interface Entry {
  /** `<Redis time in Unix ms>-<number>`. */
  readonly id: string;
  readonly record: string;
}

/** The capped Redis streams of the trail, read as one. All functions may throw GatewayError redis_unavailable. */
export interface StreamStore {
  append(records: readonly string[], batchId: string): Promise<void>;
  /** Oldest first. */
  after(id: string, count: number): Promise<readonly Entry[]>;
  /** Newest first; `+` is the position after all records. */
  before(id: string, count: number): Promise<readonly Entry[]>;
}

export function createStreamStore({ client, deadlineMs, maxLength }: StreamStoreOptions): StreamStore {
  const share = Math.ceil(maxLength / SHARES);

  async function readBoth(
    read: (stream: string) => Promise<StreamReply>,
    compare: (a: Entry, b: Entry) => number,
    count: number,
  ): Promise<readonly Entry[]> {
    const replies = await withRedisDeadline(deadlineMs, () => Promise.all(STREAMS.map(read)));
    return replies.flatMap(streamEntries).sort(compare).slice(0, count);
  }

  return {
    append: (records, batchId) =>
      withRedisDeadline(deadlineMs, async () => {
        await appendScript.run(
          client,
          [AUDIT_STREAM, auditBatchKey(batchId), AUDIT_OVERFLOW_STREAM, AUDIT_COUNTS],
          [
            maxLength,
            REMEMBERED_MS,
            share,
            COUNTED_MS,
            ...records.flatMap((record) => [ownerOf(record), record]),
          ],
        );
      }),
    after: (id, count) =>
      readBoth((stream) => client.xrange(stream, `(${id}`, '+', 'COUNT', count), olderFirst, count),
    before: (id, count) =>
      readBoth(
        (stream) => client.xrevrange(stream, id === '+' ? id : `(${id}`, '-', 'COUNT', count),
        (a, b) => olderFirst(b, a),
        count,
      ),
  };
}

/** Matches only the actor of a record, because quotes inside texts are escaped. */
const ACTOR = /"actor":\{"user":\{(?:"uid":"(sha256:[0-9a-f]{64})"|("type":"Unknown"))/;
const UNAUTHENTICATED = 'strangers';

/** Returns whose share a record uses: a key hash, `strangers` for unauthenticated clients, or '' for operators. */
function ownerOf(record: string): string {
  const [, keyHash, unknown] = ACTOR.exec(record) ?? [];
  return keyHash ?? (unknown === undefined ? '' : UNAUTHENTICATED);
}

function olderFirst(a: Entry, b: Entry): number {
  const [[ms = 0, seq = 0], [otherMs = 0, otherSeq = 0]] = [numbersOf(a), numbersOf(b)];
  return ms - otherMs || seq - otherSeq;
}

function numbersOf({ id }: Entry): number[] {
  return id.split('-').map(Number);
}

type StreamReply = readonly (readonly [string, readonly string[]])[];

function streamEntries(reply: StreamReply): Entry[] {
  return reply.flatMap(([id, fields]) => {
    const at = fields.indexOf(FIELD);
    const record = at % 2 === 0 ? fields[at + 1] : undefined;
    return record === undefined ? [] : [{ id, record }];
  });
}
