import { Agent as HttpsAgent } from 'node:https';
import { hostname } from 'node:os';
import { SeverityNumber, type AnyValue, type HrTime } from '@opentelemetry/api';
import { CompressionAlgorithm, type IOtlpExportDelegate } from '@opentelemetry/otlp-exporter-base';
import { createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { LogsExporterMetricsHelper, ProtobufLogsSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { latestPemTexts } from '../certificates/pem.ts';
import type { Config } from '../config/schema.ts';
import { messageOf } from '../errors.ts';
import { Agent as HttpAgent } from '../node-http.ts';
import { inTime, SEND_WITHIN_MS, type AuditReceiver, type Rejected } from './receiver.ts';

const SERVICE = 'ai-firewall-gateway';
const EVENT = 'gateway.audit';
/** HTTP statuses after which a retry would also fail. */
const REFUSES_THE_BATCH: ReadonlySet<number> = new Set([400, 413, 422]);

interface Connection {
  readonly exporter: IOtlpExportDelegate<ReadableLogRecord[]>;
  close(): void;
}

/**
 * Sends records as OTLP logs over HTTP, each as the structured body of a log record. After a failure, a new connection
 * reloads the certificate files.
 * @throws Error if a certificate file cannot be used
 */
export function createOtlpReceiver(otlp: Config['audit']['otlp']): AuditReceiver {
  const tls = latestPemTexts({ path: 'audit.otlp', ...otlp });
  const resource = resourceFromAttributes({ 'service.name': SERVICE, 'host.name': hostname() });
  let refused: Rejected | undefined;
  let connection: Connection | undefined;

  function connect(): Connection {
    const url = logsUrl(otlp.endpoint);
    const { ca_file: ca, cert_file: cert, key_file: key } = tls();
    const agent =
      url.protocol === 'http:'
        ? new HttpAgent({ keepAlive: true })
        : new HttpsAgent({ keepAlive: true, minVersion: 'TLSv1.2', ca, cert, key });
    const exporter = createOtlpHttpExportDelegate(
      {
        url: url.href,
        headers: () => Promise.resolve({ ...otlp.headers, 'Content-Type': 'application/x-protobuf' }),
        agentFactory: () => agent,
        compression: CompressionAlgorithm.GZIP,
        concurrencyLimit: 1,
        timeoutMillis: SEND_WITHIN_MS,
      },
      {
        serializeRequest: (records) => ProtobufLogsSerializer.serializeRequest(records),
        deserializeResponse(bytes) {
          const answer = ProtobufLogsSerializer.deserializeResponse(bytes);
          const records = answer.partialSuccess?.rejectedLogRecords ?? 0;
          if (records > 0) refused = { records, cause: new Error('rejected by the receiver') };
          return answer;
        },
      },
      'otlp_http_log_exporter',
      LogsExporterMetricsHelper,
      undefined,
    );
    return { exporter, close: () => agent.destroy() };
  }

  function disconnect(): void {
    connection?.close();
    connection = undefined;
  }

  async function send(lines: readonly string[]): Promise<Rejected | undefined> {
    refused = undefined;
    connection ??= connect();
    const { exporter } = connection;
    const records = lines.map((line) => logRecord(line, resource));
    const failure = await inTime(exported(exporter, records)).catch((cause: unknown) => cause);
    if (failure === undefined) return refused;
    disconnect();
    const status = statusOf(failure);
    if (status === undefined) throw new Error(messageOf(failure));
    // The response body may repeat the records.
    const cause = new Error(`the receiver answered ${String(status)}`);
    if (!REFUSES_THE_BATCH.has(status)) throw cause;
    return { records: lines.length, cause };
  }

  return {
    send,
    async probe() {
      const rejected = await send([]);
      if (rejected !== undefined) throw rejected.cause;
    },
    close: disconnect,
  };
}

function logsUrl(endpoint: string): URL {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = '/v1/logs';
  return url;
}

/** Resolves with the failure, or undefined on success. */
function exported(exporter: Connection['exporter'], records: ReadableLogRecord[]): Promise<unknown> {
  return new Promise((resolve) =>
    exporter.export(records, ({ code, error }) => {
      resolve(code === 0 ? undefined : (error ?? new Error('the export failed')));
    }),
  );
}

function statusOf(failure: unknown): number | undefined {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  return typeof code === 'number' ? code : undefined;
}

const SCOPE = { name: SERVICE };

function logRecord(line: string, resource: ReadableLogRecord['resource']): ReadableLogRecord {
  const body = JSON.parse(line) as Record<string, AnyValue>;
  const { time, severity, severity_id: severityId } = body;
  const at: HrTime = hrTime(Number(time));
  return {
    hrTime: at,
    hrTimeObserved: at,
    severityNumber: SEVERITIES.get(Number(severityId)) ?? SeverityNumber.UNSPECIFIED,
    severityText: String(severity),
    eventName: EVENT,
    body,
    resource,
    instrumentationScope: SCOPE,
    attributes: {},
    droppedAttributesCount: 0,
  };
}

/** By OCSF `severity_id`. */
const SEVERITIES: ReadonlyMap<number, SeverityNumber> = new Map([
  [1, SeverityNumber.INFO],
  [2, SeverityNumber.INFO2],
  [3, SeverityNumber.WARN],
  [4, SeverityNumber.ERROR],
]);

function hrTime(unixMs: number): HrTime {
  return [Math.trunc(unixMs / 1_000), (unixMs % 1_000) * 1_000_000];
}
