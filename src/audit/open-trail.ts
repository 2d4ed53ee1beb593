import type { DestinationStream } from 'pino';
import type { Config } from '../config/schema.ts';
import { phaseDeadlineMs } from '../config/cross-field-rules.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { openFileSink, type FileSink } from './file-sink.ts';
import { RecordQueue } from './record-queue.ts';
import { createStreamStore } from './stream-store.ts';
import { createTrail, type AuditTrail } from './trail.ts';
import { messageOf } from '../errors.ts';

/** Minimum time between two log lines about failures. */
const REPORT_EVERY_MS = 10_000;

export interface TrailDeps {
  readonly config: Config;
  readonly redis: RedisClient;
  readonly output: DestinationStream;
  readonly log: Pick<Logger, 'error'>;
  readonly metrics: Pick<Metrics, 'auditRecords'>;
}

type SinkName = 'stream' | 'file';

/** Opens the sinks of `audit`. @throws Error with the remedy if the file cannot be written */
export async function openTrail(deps: TrailDeps): Promise<AuditTrail> {
  const { config, redis, output, metrics } = deps;
  const { stdout, file: path, stream_max_length: maxLength } = config.audit;
  const store = createStreamStore({ client: redis, deadlineMs: phaseDeadlineMs(config), maxLength });
  const file = path === '' ? undefined : await openFile(path);
  const trail = createTrail({
    stdout: stdout
      ? (line) => {
          output.write(`${line}\n`);
          metrics.auditRecords.inc({ sink: 'stdout', outcome: 'written' });
        }
      : undefined,
    stream: queueTo('stream', store.append, deps),
    file: file && queueTo('file', file.write, deps),
  });
  return {
    ...trail,
    async close() {
      await trail.close();
      await file?.close();
    },
  };
}

async function openFile(path: string): Promise<FileSink> {
  try {
    return await openFileSink(path);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new Error(`audit.file: cannot be appended to (${reason}); make its folder, or name another file`, {
      cause,
    });
  }
}

function queueTo(
  sink: SinkName,
  write: (lines: readonly string[], batchId: string) => Promise<void>,
  { log, metrics }: TrailDeps,
): RecordQueue {
  let reportedAt = -Infinity;
  return new RecordQueue({
    write,
    onWritten: (records) => metrics.auditRecords.inc({ sink, outcome: 'written' }, records),
    onDropped(records, cause) {
      metrics.auditRecords.inc({ sink, outcome: 'dropped' }, records);
      if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = performance.now();
      log.error({ sink, cause: messageOf(cause) }, 'audit records are lost: the sink does not keep up');
    },
  });
}
