import * as z from 'zod';
import { parseHostPort } from '../address.ts';
import {
  baseUrl,
  count,
  filePath,
  fraction,
  hostName,
  hostPort,
  httpUrlOrEmpty,
  needsRestart,
  positiveCount,
  section,
} from '../fields.ts';
import { otelVariableFault } from '../otel-variables.ts';

export const alerting = section({
  webhook_url: httpUrlOrEmpty.default('').describe('URL that receives alerts. Empty: no alerts.'),
  secret: z
    .string()
    .default('')
    .describe(
      'Signing secret of the webhook (Standard Webhooks): `whsec_` and 24 to 64 bytes in Base64. Empty: alerts are not signed.',
    ),
  events: z
    .array(z.enum(['quarantine', 'escalation', 'circuit']))
    .max(3)
    .default([])
    .describe('Events to alert on in addition to budget thresholds.'),
  thresholds: z
    .array(
      section({
        percent: z.int().min(1).max(100).describe('Share of the budget in percent.'),
        message: z
          .string()
          .min(1)
          .max(1_000)
          .describe('Text of the alert. `{percent}`, `{window}` and `{key_name}` are filled in.'),
      }),
    )
    .max(100)
    .default([])
    .describe('Shares of a budget at which to alert, once per window.'),
})
  .prefault({})
  .describe('Alerts about budgets and other events. See docs/alerts.md.');

function isEndpoint(text: string): boolean {
  if (parseHostPort(text) !== undefined) return true;
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

const viewerUrl = httpUrlOrEmpty.refine((text) => text === '' || text.includes('{trace_id}'), {
  error: 'must contain {trace_id}, which is replaced by the id of a trace',
});

export const otel = needsRestart(
  section({
    enabled: z.boolean().default(false).describe('Export traces over OTLP.'),
    endpoint: z
      .string()
      .refine(isEndpoint, { error: 'must be host:port, or an http:// or https:// URL' })
      .default('localhost:4317')
      .describe('OTLP collector: `host:port` or a URL.'),
    protocol: z
      .enum(['grpc', 'http', 'stdout'])
      .default('grpc')
      .describe('OTLP transport. `stdout` writes spans to standard output instead, for debugging.'),
    viewer_url: viewerUrl
      .default('')
      .describe(
        'URL that shows a trace, with `{trace_id}` for its id, such as `https://grafana.example/trace/{trace_id}`. The operator page links to it. Empty: no link.',
      ),
    sampling_rate: fraction.default(1).describe('Share of requests to trace, 0 to 1.'),
    variables: z
      .record(z.string().min(1).max(64), z.string())
      .default({})
      .superRefine((variables, context) => {
        for (const [name, value] of Object.entries(variables)) {
          const message = otelVariableFault(name, value);
          if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
        }
      })
      .describe(
        'OpenTelemetry variables, such as `OTEL_EXPORTER_OTLP_HEADERS`. Those in the environment are added while `otel.enabled` is true. See docs/telemetry.md.',
      ),
  })
    .prefault({})
    .describe('Trace export. See docs/telemetry.md.'),
);

/** A header field name and value (RFC 9110, 5). */
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, { error: 'must be a header name' });
const headerValue = z
  .string()
  .regex(/^[\x20-\x7e]{1,8192}$/, { error: 'must be 1 to 8192 printable ASCII characters' });

const receiverTls = {
  ca_file: filePath
    .optional()
    .describe("PEM bundle that verifies the receiver's certificate, instead of Node's bundle."),
  cert_file: filePath.optional().describe('PEM client certificate, if the receiver requires one.'),
  key_file: filePath.optional().describe('PEM private key of `cert_file`.'),
};

const auditOtlp = needsRestart(
  section({
    endpoint: z
      .union([z.literal(''), baseUrl])
      .default('')
      .describe(
        'OTLP/HTTP receiver of audit records, such as `https://collector:4318`. Without a path, `/v1/logs` is appended. Empty: none.',
      ),
    headers: z
      .record(headerName, headerValue)
      .default({})
      .describe('Headers of each export, such as `Authorization`.'),
    ...receiverTls,
  }).prefault({}),
);

const auditSyslog = needsRestart(
  section({
    address: z
      .union([z.literal(''), hostPort])
      .default('')
      .describe('`host:port` of a syslog receiver (RFC 5424, octet counting). Empty: none.'),
    tls: z
      .boolean()
      .default(true)
      .describe('Connect over TLS. Without it, only a loopback address is accepted.'),
    facility: z.int().min(0).max(23).default(13).describe('Syslog facility. 13 is `log audit`.'),
    server_name: hostName
      .optional()
      .describe("Name in the receiver's certificate, if it differs from the address."),
    ...receiverTls,
  }).prefault({}),
);

export const audit = section({
  enabled: z
    .boolean()
    .default(false)
    .describe('Write an audit record for each request and each change that an operator makes.'),
  stdout: z.boolean().default(true).describe('Write audit records to standard output.'),
  file: z
    .string()
    .default('')
    .describe('File to append audit records to, one JSON object per line. Empty: no file.'),
  secret: z
    .string()
    .default('')
    .describe(
      'Key of the HMACs that replace matched text in records. Set it to compare findings across processes. Empty: each process uses a random key.',
    ),
  otlp: auditOtlp,
  syslog: auditSyslog,
  stream_max_length: positiveCount
    .default(100_000)
    .describe('Records to keep in the Redis stream `gateway:audit`, the oldest dropped first.'),
  required: z
    .boolean()
    .default(false)
    .describe(
      'Refuse requests while audit records cannot be written. Set it to true if an unrecorded request is worse than a refused one.',
    ),
})
  .prefault({})
  .describe('The audit trail. See docs/audit.md.');

export const metrics = section({
  budget_keys: count
    .max(500)
    .default(0)
    .describe(
      'Number of keys per worker with `gateway_budget_used_ratio`: the most recently charged keys. 0: none.',
    ),
  spend_models: count
    .max(500)
    .default(0)
    .describe(
      'Number of models per worker with `gateway_model_spend_usd_total`: the first ones charged. All others are counted as `other`. 0: none.',
    ),
  spend_owners: count
    .max(500)
    .default(0)
    .describe(
      'Number of owners per worker with `gateway_owner_spend_usd_total`: the first ones charged. All others are counted as `other`. 0: none.',
    ),
})
  .prefault({})
  .describe('Metrics with labels for keys, models and owners. See docs/telemetry.md.');
