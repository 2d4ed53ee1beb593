import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import {
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type sendUnaryData,
  type ServiceClientConstructor,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { onLoopback } from './loopback.ts';

/** A span as received; ids in hex, kinds and codes with OTLP's numbers. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  readonly durationMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  /** Names of its events. */
  readonly events: readonly string[];
  /** 2: error. */
  readonly statusCode: number;
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

/** A real receiver of OTLP traces on a free loopback port. */
export interface OtlpReceiver {
  /** `host:port`, as in `otel.endpoint`. */
  readonly endpoint: string;
  readonly spans: readonly ReceivedSpan[];
  /** Headers of the exports, lower-case names. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  close(): Promise<void>;
}

interface Value {
  readonly string_value?: string;
  readonly bool_value?: boolean;
  readonly int_value?: number;
  readonly double_value?: number;
  readonly array_value?: { readonly values?: readonly Value[] };
}
/** Lists are returned as their texts, joined by a comma. */
type Pairs = readonly { readonly key: string; readonly value: Value }[] | undefined;

interface WireSpan {
  readonly trace_id: Buffer;
  readonly span_id: Buffer;
  readonly parent_span_id?: Buffer;
  readonly trace_state?: string;
  readonly name: string;
  readonly kind?: number;
  readonly start_time_unix_nano: number;
  readonly end_time_unix_nano: number;
  readonly attributes?: Pairs;
  readonly events?: readonly { readonly name?: string }[];
  readonly status?: { readonly code?: number };
}

interface ExportRequest {
  readonly resource_spans?: readonly {
    readonly resource?: { readonly attributes?: Pairs };
    readonly scope_spans?: readonly { readonly spans?: readonly WireSpan[] }[];
  }[];
}

function exportMethod() {
  const options = { keepCase: true, longs: Number, defaults: false, oneofs: true };
  const path = fileURLToPath(new URL('./otlp.proto', import.meta.url));
  let at: unknown = loadPackageDefinition(loadSync(path, options));
  for (const name of ['opentelemetry', 'proto', 'collector', 'trace', 'v1', 'TraceService']) {
    at = (at as Record<string, unknown>)[name];
  }
  return (at as ServiceClientConstructor).service;
}

export async function startGrpcReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const headers: Record<string, string>[] = [];
  const server = new Server();
  server.addService(exportMethod(), {
    Export(call: ServerUnaryCall<ExportRequest, object>, done: sendUnaryData<object>) {
      spans.push(...spansOf(call.request));
      headers.push(textOf(call.metadata.getMap()));
      done(null, {});
    },
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  return {
    endpoint: `127.0.0.1:${String(port)}`,
    spans,
    headers,
    close: () => {
      server.forceShutdown();
      return Promise.resolve();
    },
  };
}

/** @param status its answer, after it has read the spans */
export async function startHttpReceiver(status = 200): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const headers: Record<string, string>[] = [];
  const read = exportMethod()['Export']?.requestDeserialize as (bytes: Buffer) => ExportRequest;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isOtlp =
        request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
      headers.push(textOf(request.headers));
      const body = Buffer.concat(chunks);
      const isPacked = request.headers['content-encoding'] === 'gzip';
      if (isOtlp) spans.push(...spansOf(read(isPacked ? gunzipSync(body) : body)));
      response.writeHead(isOtlp ? status : 404, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  const { addr: endpoint, close } = await onLoopback(server);
  return { endpoint, spans, headers, close };
}

function textOf(headers: object): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function spansOf({ resource_spans: all = [] }: ExportRequest): ReceivedSpan[] {
  return all.flatMap(({ resource, scope_spans: scopes = [] }) =>
    scopes.flatMap(({ spans = [] }) => spans.map((span) => spanOf(span, attributesOf(resource?.attributes)))),
  );
}

function spanOf(span: WireSpan, resource: ReceivedSpan['resource']): ReceivedSpan {
  return {
    traceId: span.trace_id.toString('hex'),
    spanId: span.span_id.toString('hex'),
    parentSpanId: span.parent_span_id?.toString('hex') ?? '',
    traceState: span.trace_state ?? '',
    name: span.name,
    kind: span.kind ?? 0,
    durationMs: (span.end_time_unix_nano - span.start_time_unix_nano) / 1e6,
    attributes: attributesOf(span.attributes),
    events: (span.events ?? []).map(({ name = '' }) => name),
    statusCode: span.status?.code ?? 0,
    resource,
  };
}

function attributesOf(pairs: Pairs): ReceivedSpan['attributes'] {
  return Object.fromEntries((pairs ?? []).map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue(value: Value): string | number | boolean {
  if (value.array_value !== undefined) return (value.array_value.values ?? []).map(plainValue).join(',');
  return value.string_value ?? value.bool_value ?? value.int_value ?? value.double_value ?? '';
}
