import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { onLoopback } from './loopback.ts';

export interface ReceivedLog {
  readonly unixMs: number;
  readonly severity: number;
  readonly eventName: string;
  readonly body: unknown;
  readonly service: unknown;
}

/** A real receiver of OTLP logs over HTTP on a loopback port. */
export interface OtlpLogReceiver {
  readonly url: string;
  readonly port: number;
  readonly logs: readonly ReceivedLog[];
  readonly headers: readonly IncomingHttpHeaders[];
  /** Answer to the next exports. `rejected` records are refused within a 200; refused exports are not kept. */
  answer: { status: number; rejected?: number };
  close(): Promise<void>;
}

interface Value {
  readonly string_value?: string;
  readonly bool_value?: boolean;
  readonly int_value?: number;
  readonly double_value?: number;
  readonly array_value?: { readonly values?: readonly Value[] };
  readonly kvlist_value?: { readonly values?: Pairs };
}
type Pairs = readonly { readonly key: string; readonly value: Value }[];

interface ExportRequest {
  readonly resource_logs?: readonly {
    readonly resource?: { readonly attributes?: Pairs };
    readonly scope_logs?: readonly {
      readonly log_records?: readonly {
        readonly time_unix_nano: number;
        readonly severity_number?: number;
        readonly event_name?: string;
        readonly body?: Value;
      }[];
    }[];
  }[];
}

function exportMethod() {
  const path = fileURLToPath(new URL('./otlp-logs.proto', import.meta.url));
  let at: unknown = loadPackageDefinition(loadSync(path, { keepCase: true, longs: Number, oneofs: true }));
  for (const name of ['opentelemetry', 'proto', 'collector', 'logs', 'v1', 'LogsService'])
    at = (at as Record<string, unknown>)[name];
  const method = (at as ServiceClientConstructor).service['Export'];
  if (method === undefined) throw new Error('the proto has no Export');
  return method;
}

/** @param tls undefined: plain HTTP */
export async function startOtlpLogReceiver(tls?: ServerOptions, port = 0): Promise<OtlpLogReceiver> {
  const logs: ReceivedLog[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const method = exportMethod();
  const answer: OtlpLogReceiver['answer'] = { status: 200 };
  const server: Server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on('request', (request, response) => {
    headers.push(request.headers);
    void buffer(request).then((body) => {
      const isOtlp =
        request.url === '/v1/logs' && request.headers['content-type'] === 'application/x-protobuf';
      const { status, rejected = 0 } = isOtlp ? answer : { status: 404 };
      const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      if (status === 200) logs.push(...logsOf(method.requestDeserialize(plain) as ExportRequest));
      const said = rejected === 0 ? {} : { partial_success: { rejected_log_records: rejected } };
      response.writeHead(status, { 'content-type': 'application/x-protobuf' });
      response.end(status === 200 ? method.responseSerialize(said) : 'secret that the receiver repeats');
    });
  });
  const { url, port: bound, close } = await onLoopback(server, port);
  return {
    url: url.replace('127.0.0.1', 'localhost'),
    port: bound,
    logs,
    headers,
    answer,
    close,
  };
}

function logsOf({ resource_logs: all = [] }: ExportRequest): ReceivedLog[] {
  return all.flatMap(({ resource, scope_logs: scopes = [] }) =>
    scopes.flatMap(({ log_records: records = [] }) =>
      records.map((record) => ({
        unixMs: record.time_unix_nano / 1e6,
        severity: record.severity_number ?? 0,
        eventName: record.event_name ?? '',
        body: record.body && plain(record.body),
        service: objectOf(resource?.attributes ?? [])['service.name'],
      })),
    ),
  );
}

function objectOf(pairs: Pairs): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: Value): unknown {
  if (value.kvlist_value !== undefined) return objectOf(value.kvlist_value.values ?? []);
  if (value.array_value !== undefined) return (value.array_value.values ?? []).map(plain);
  return value.string_value ?? value.bool_value ?? value.int_value ?? value.double_value ?? null;
}
