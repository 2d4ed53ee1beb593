import * as z from 'zod';
import { hostedTools } from '../../checks/hosted-tools/config.ts';
import { PROVIDER_NAMES } from '../../providers/provider.ts';
import { authority, duration, section } from '../fields.ts';

/** What passes to the providers (docs/routing.md). */
export const proxy = section({
  /** Bounds the wait for an answer's headers, the silence between chunks, and the whole of an unstreamed answer. */
  upstream_timeout: duration('300s'),
  /** Endpoints that the gateway cannot read. */
  unknown_endpoints: z.enum(['deny', 'allow']).default('deny'),
  ...hostedTools,
  /** Transparent egress: whom clients ask by host -> provider. Where there are any, nothing else is served. */
  authorities: z.record(authority, z.enum(PROVIDER_NAMES)).default({}),
}).prefault({});
