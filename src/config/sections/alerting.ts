import * as z from 'zod';
import { httpUrlOrEmpty, section } from '../fields.ts';

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
