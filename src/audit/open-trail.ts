import type { DestinationStream } from 'pino';
import type { Config } from '../config/schema.ts';
import { phaseDeadlineMs } from '../config/cross-field-rules.ts';
import type { RedisClient } from '../redis/client.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { openFileSink, type FileSink } from './file-sink.ts';
import { openReceivers, type ReceiverName } from './open-receivers.ts';
import { RecordQueue, type RecordQueueOptions } from './record-queue.ts';
import { createStreamStore } from './stream-store.ts';
import { createTrail, type AuditTrail } from './trail.ts';
import { messageOf } from '../errors.ts';

/** Minimum time between two log lines about failures. */
const REPORT_EVERY_MS = 10_000;

export interface TrailDeps {
  readonly config: Config;
  readonly redis: RedisClient;
  readonly output: DestinationStream;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  readonly metrics: Pick<Metrics, 'auditRecords'>;
}

type SinkName = 'stream' | 'file' | ReceiverName;

/** Opens the sinks of `audit`. @throws Error with the remedy if one cannot be used */
export async function openTrail(deps: TrailDeps): Promise<AuditTrail> {
  const { config, redis, output, metrics } = deps;
  const { stdout, file: path, stream_max_length: maxLength } = config.audit;
  const store = createStreamStore({ client: redis, deadlineMs: phaseDeadlineMs(config), maxLength });
  const receivers = await openReceivers(config.audit);
  const file = path === '' ? undefined : await openFile(path);
  const trail = createTrail({
    stdout: stdout
      ? (line) => {
          output.write(`${line}\n`);
          metrics.auditRecords.inc({ sink: 'stdout', outcome: 'written' });
        }
      : undefined,
    stream: queueTo('stream', (lines, id) => store.append(lines, id).then(() => undefined), deps),
    others: [
      ...(file ? [queueTo('file', (lines) => file.write(lines).then(() => undefined), deps)] : []),
      ...[...receivers].map(([name, { send }]) => queueTo(name, send, deps, warnOf(name, deps))),
    ],
  });
  return {
    ...trail,
    async close() {
      await trail.close();
      for (const receiver of receivers.values()) receiver.close();
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
  write: RecordQueueOptions['write'],
  { log, metrics }: TrailDeps,
  onFailed?: RecordQueueOptions['onFailed'],
): RecordQueue {
  const report = seldom((cause) => {
    log.error({ sink, cause: messageOf(cause) }, 'audit records are lost: the sink does not keep up');
  });
  return new RecordQueue({
    write,
    ...(onFailed && { onFailed }),
    onWritten: (records) => metrics.auditRecords.inc({ sink, outcome: 'written' }, records),
    onDropped(records, cause) {
      metrics.auditRecords.inc({ sink, outcome: 'dropped' }, records);
      report(cause);
    },
  });
}

/** Logs failures before records are lost. */
function warnOf(sink: ReceiverName, { log }: TrailDeps): (cause: unknown) => void {
  return seldom((cause) => {
    log.warn({ sink, cause: messageOf(cause) }, `audit.${sink} does not take records: they are queued`);
  });
}

/** Calls `report` at most once in `REPORT_EVERY_MS`. */
function seldom(report: (cause: unknown) => void): (cause: unknown) => void {
  let reportedAt = -Infinity;
  return (cause) => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    report(cause);
  };
}
