import * as z from 'zod';
import { parseHostPort } from '../address.ts';
import { needsRestart, fraction, section, httpUrlOrEmpty, positiveCount } from '../fields.ts';
import { otelVariableFault } from '../otel-variables.ts';

export const alerting = section({
  webhook_url: httpUrlOrEmpty.default('').describe('URL that receives alerts. Empty: no alerts.'),
  secret: z
    .string()
    .default('')
    .describe(
      'Signing secret of the webhook (Standard Webhooks): `whsec_` and the base64 of 24 to 64 bytes. Empty: alerts are not signed.',
    ),
  events: z
    .array(z.enum(['quarantine', 'escalation', 'circuit']))
    .max(3)
    .default([])
    .describe('Events to alert on beside budget thresholds.'),
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
    .describe('Shares of a budget at which to alert, once for each window.'),
})
  .prefault({})
  .describe('Alerts about budgets and other events. See docs/alerts.md.');

function isEndpoint(written: string): boolean {
  if (parseHostPort(written) !== undefined) return true;
  return /^https?:\/\//i.test(written) && URL.canParse(written);
}

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
        'Variables of OpenTelemetry, such as `OTEL_EXPORTER_OTLP_HEADERS`. Those of the environment are added while `otel.enabled` is true. See docs/telemetry.md.',
      ),
  })
    .prefault({})
    .describe('Trace export. See docs/telemetry.md.'),
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
    .describe('File to append audit records to, one JSON object a line. Empty: no file.'),
  secret: z
    .string()
    .default('')
    .describe(
      'Key of the HMACs that records carry in place of matched text. Set it to compare findings across processes. Empty: a random key for each process.',
    ),
  stream_max_length: positiveCount
    .default(100_000)
    .describe('Records to keep in the Redis stream `gateway:audit`, the oldest dropped first.'),
  required: z
    .boolean()
    .default(false)
    .describe(
      'Refuse requests while audit records cannot be written. Set it where an unrecorded request is worse than a refused one.',
    ),
})
  .prefault({})
  .describe('The audit trail. See docs/audit.md.');
