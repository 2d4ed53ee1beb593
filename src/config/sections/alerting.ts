import * as z from 'zod';
import { httpUrlOrEmpty, section } from '../fields.ts';

/** Budget alerts (SPEC "Events", DECISIONS "Budgets and cost"). */
export const alerting = section({
  /** Empty: no alerts are sent. */
  webhook_url: httpUrlOrEmpty.default(''),
  /** Signs the webhook (Standard Webhooks 1.0). */
  secret: z.string().default(''),
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
