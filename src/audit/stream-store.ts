import type { RedisClient } from '../redis/client.ts';
import { AUDIT_STREAM, auditBatchKey } from '../redis/keys.ts';
import { loadScript } from '../redis/script.ts';
import { withRedisDeadline } from '../redis/unavailable.ts';

const appendScript = loadScript(new URL('./append-records.lua', import.meta.url));

/** Longer than any repeat of a batch waits. */
const REMEMBERED_MS = 600_000;
/** Name of the one field of an entry. */
const FIELD = 'ocsf';

export interface StreamStoreOptions {
  readonly client: RedisClient;
  readonly deadlineMs: number;
  /** `audit.stream_max_length`. */
  readonly maxLength: number;
}

/** A record as it stands in the stream. */
export interface Entry {
  /** `<Unix ms by Redis's clock>-<number>`. */
  readonly id: string;
  /** One line of JSON. */
  readonly record: string;
}

/** The capped Redis stream `gateway:audit`. Every call throws GatewayError redis_unavailable. */
export interface StreamStore {
  append(records: readonly string[], batchId: string): Promise<void>;
  /** Entries after an id, oldest first. */
  after(id: string, count: number): Promise<readonly Entry[]>;
  /** Entries before an id (`+`: all), newest first. */
  before(id: string, count: number): Promise<readonly Entry[]>;
}

export function createStreamStore({ client, deadlineMs, maxLength }: StreamStoreOptions): StreamStore {
  return {
    append: (records, batchId) =>
      withRedisDeadline(deadlineMs, async () => {
        await appendScript.run(
          client,
          [AUDIT_STREAM, auditBatchKey(batchId)],
          [maxLength, REMEMBERED_MS, ...records],
        );
      }),
    after: (id, count) =>
      withRedisDeadline(deadlineMs, async () =>
        streamEntries(await client.xrange(AUDIT_STREAM, `(${id}`, '+', 'COUNT', count)),
      ),
    before: (id, count) =>
      withRedisDeadline(deadlineMs, async () =>
        streamEntries(await client.xrevrange(AUDIT_STREAM, id === '+' ? id : `(${id}`, '-', 'COUNT', count)),
      ),
  };
}

function streamEntries(reply: readonly (readonly [string, readonly string[]])[]): Entry[] {
  return reply.flatMap(([id, fields]) => {
    const at = fields.indexOf(FIELD);
    const record = at % 2 === 0 ? fields[at + 1] : undefined;
    return record === undefined ? [] : [{ id, record }];
  });
}
