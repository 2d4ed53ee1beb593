import * as z from 'zod';
import { fraction, section } from '../fields.ts';

/** Trace export (SPEC "Events"). */
export const otel = section({
  enabled: z.boolean().default(false),
  /** host:port or a URL. */
  endpoint: z.string().min(1).default('localhost:4317'),
  protocol: z.enum(['grpc', 'http', 'stdout']).default('grpc'),
  sampling_rate: fraction.default(1),
}).prefault({});
