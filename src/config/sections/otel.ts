import * as z from 'zod';
import { parseHostPort } from '../address.ts';
import { fraction, section } from '../fields.ts';

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
