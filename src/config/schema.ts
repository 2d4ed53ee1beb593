import * as z from 'zod';
import { section } from './fields.ts';
import { alerting } from './sections/alerting.ts';
import { audit } from './sections/audit.ts';
import { auth } from './sections/auth.ts';
import { envoy } from './sections/envoy.ts';
import { loopDetection } from './sections/loop-detection.ts';
import { mcp } from './sections/mcp.ts';
import { otel } from './sections/otel.ts';
import { policy } from './sections/policy.ts';
import { pricing } from './sections/pricing.ts';
import { providers } from './sections/providers.ts';
import { proxy } from './sections/proxy.ts';
import { rateLimit } from './sections/rate-limit.ts';
import { redis } from './sections/redis.ts';
import { riskProfile } from './sections/risk-profile.ts';
import { server } from './sections/server.ts';
import { session } from './sections/session.ts';
import { signature } from './sections/signature.ts';
import { zsp } from './sections/zsp.ts';

/** gateway.yaml, whole: key names as written, durations read to milliseconds, defaults filled in. */
export const configSchema = section({
  server,
  redis,
  proxy,
  auth,
  providers,
  pricing,
  session,
  loop_detection: loopDetection,
  mcp,
  risk_profile: riskProfile,
  policy,
  alerting,
  signature,
  rate_limit: rateLimit,
  otel,
  zsp,
  audit,
  envoy,
});

export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** What may be written in gateway.yaml; every key is optional. */
export type ConfigInput = z.input<typeof configSchema>;

type Parsed = z.output<typeof configSchema>;

/**
 * The effective configuration: validated, complete, deeply frozen. Keys are gateway.yaml's own
 * (`config.server.max_payload_bytes`); durations are `Milliseconds`.
 */
export type Config = DeepReadonly<Parsed> & {
  readonly server: {
    /** From `SERVER_INSECURE_DEV=true` alone, never from the file: plain HTTP is allowed. Development only. */
    readonly insecure_dev: boolean;
  };
};

/** The JSON Schema (draft 2020-12) of gateway.yaml, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  return {
    ...z.toJSONSchema(configSchema, { io: 'input' }),
    title: 'gateway.yaml',
  };
}
