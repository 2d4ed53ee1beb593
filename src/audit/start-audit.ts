import type { DestinationStream } from 'pino';
import { maskSecrets } from '../detectors/mask.ts';
import type { Audited, EdgeObserver } from '../extproc/services.ts';
import type { VerdictObserver } from '../pipeline/enforcement.ts';
import { createTrailObserver, type TrailObserver } from './observe.ts';
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

type Observer = EdgeObserver & VerdictObserver;

export interface SidecarAudit {
  readonly observer: TrailObserver;
  readonly audited: Audited;
  watching(observer: Observer): Observer;
  close(): Promise<void>;
}

/** @throws Error with the remedy if a sink of `audit` cannot be opened */
export async function startAudit(deps: TrailDeps): Promise<SidecarAudit> {
  const trail = await openTrail(deps);
  const records = createTrailObserver(trail, maskSecrets);
  return {
    observer: records,
    audited: {
      losses: () => trail.losses(),
      forwarding(exchange, knownLosses) {
        records.forwarding(exchange);
        return trail.written(knownLosses);
      },
      answer: (knownLosses) => trail.written(knownLosses),
    },
    watching: (observer) => ({
      ...observer,
      finished(finish) {
        observer.finished(finish);
        records.finished(finish);
      },
      verdict(exchange, check, verdict, enforced) {
        observer.verdict(exchange, check, verdict, enforced);
        records.verdict(exchange, check, verdict, enforced);
      },
    }),
    close: () => trail.close(),
  };
}

const REPORT_EVERY_MS = 10_000;

interface TrailDeps {
  readonly config: Config;
  readonly redis: RedisClient;
  readonly output: DestinationStream;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  readonly metrics: Pick<Metrics, 'auditRecords'>;
}

type SinkName = 'stream' | 'file' | ReceiverName;

async function openTrail(deps: TrailDeps): Promise<AuditTrail> {
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
    throw new Error(`audit.file: cannot be appended to (${reason}); create its folder or set another path`, {
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
  const report = throttled((cause) =>
    log.error(
      { sink, cause: messageOf(cause) },
      'audit records are being lost: the sink cannot keep up or rejects them',
    ),
  );
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

function warnOf(sink: ReceiverName, { log }: TrailDeps): (cause: unknown) => void {
  return throttled((cause) =>
    log.warn({ sink, cause: messageOf(cause) }, `audit.${sink} does not accept records: they are queued`),
  );
}

function throttled(report: (cause: unknown) => void): (cause: unknown) => void {
  let reportedAt = -Infinity;
  return (cause) => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    report(cause);
  };
}
