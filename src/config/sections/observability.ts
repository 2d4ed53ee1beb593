import * as z from 'zod';
import { parseHostPort } from '../address.ts';
import { fraction, section, httpUrlOrEmpty, positiveCount } from '../fields.ts';

/** Alerts about budgets and other events (docs/alerts.md). */
export const alerting = section({
  /** Empty: sends no alerts. */
  webhook_url: httpUrlOrEmpty.default(''),
  /** Signs the webhook (Standard Webhooks 1.0): `whsec_` and the base64 of 24 to 64 bytes. Empty: unsigned. */
  secret: z.string().default(''),
  /** Events reported in addition to budgets. */
  events: z
    .array(z.enum(['quarantine', 'escalation', 'circuit']))
    .max(3)
    .default([]),
  thresholds: z
    .array(
      section({
        percent: z.int().min(1).max(100),
        /** May contain `{percent}`, `{window}` and `{key_name}`. */
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
  /** `host:port` or a URL. */
  endpoint: z
    .string()
    .refine(isEndpoint, { error: 'must be host:port, or an http:// or https:// URL' })
    .default('localhost:4317'),
  protocol: z.enum(['grpc', 'http', 'stdout']).default('grpc'),
  sampling_rate: fraction.default(1),
}).prefault({});

/** The audit trail (docs/audit.md). */
export const audit = section({
  enabled: z.boolean().default(false),
  stdout: z.boolean().default(true),
  /** File to which JSON lines are appended; empty: no file. */
  file: z.string().default(''),
  /** HMAC key for the digests of matches. Empty: each process generates one. */
  secret: z.string().default(''),
  stream_max_length: positiveCount.default(100_000),
  /** Refuses traffic that cannot be audited. */
  required: z.boolean().default(false),
}).prefault({});
