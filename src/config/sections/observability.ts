import * as z from 'zod';
import { parseHostPort } from '../address.ts';
import { fraction, section, httpUrlOrEmpty, positiveCount } from '../fields.ts';

/** Budget alerts (docs/alerts.md). */
export const alerting = section({
  /** Empty: no alerts are sent. */
  webhook_url: httpUrlOrEmpty.default(''),
  /** `whsec_` and the base64 of 24 to 64 bytes: signs the webhook (Standard Webhooks 1.0). Empty: it is not signed. */
  secret: z.string().default(''),
  /** What is told beside budgets. */
  events: z
    .array(z.enum(['quarantine', 'escalation', 'circuit']))
    .max(3)
    .default([]),
  thresholds: z
    .array(
      section({
        percent: z.int().min(1).max(100),
        /** `{percent}`, `{window}` and `{key_name}` are filled in. */
        message: z.string().min(1).max(1_000),
      }),
    )
    .max(100)
    .default([]),
}).prefault({});

function isEndpoint(written: string): boolean {
  if (parseHostPort(written) !== undefined) return true;
  return /^https?:\/\//i.test(written) && URL.canParse(written);
}

/** Trace export (docs/telemetry.md). */
export const otel = section({
  enabled: z.boolean().default(false),
  /** host:port or a URL. */
  endpoint: z
    .string()
    .refine(isEndpoint, { error: 'must be host:port, or a URL that begins with http:// or https://' })
    .default('localhost:4317'),
  protocol: z.enum(['grpc', 'http', 'stdout']).default('grpc'),
  sampling_rate: fraction.default(1),
}).prefault({});

/** The audit trail (docs/audit.md). */
export const audit = section({
  enabled: z.boolean().default(false),
  stdout: z.boolean().default(true),
  /** JSON lines are appended here; empty: no file. */
  file: z.string().default(''),
  /** Key of the HMAC that names matches; empty: each process has one of its own. */
  secret: z.string().default(''),
  /** Events kept in the Redis stream `gateway:audit`. */
  stream_max_length: positiveCount.default(100_000),
  /** Refuse traffic that cannot be audited. */
  required: z.boolean().default(false),
}).prefault({});
