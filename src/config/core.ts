import { alerting, otel, audit } from './sections/observability.ts';
import { auth, zsp, signature } from './sections/auth.ts';
import { envoy, server } from './sections/server.ts';
import { mcpSection } from './sections/mcp.ts';
import { policySection } from './sections/policy.ts';
import { pricing } from './sections/pricing.ts';
import { providersSection, proxy } from './sections/providers.ts';
import { redis } from './sections/redis.ts';
import { riskProfile, sessionSection } from './sections/session.ts';
import type { section, Settings } from './fields.ts';

/** The sections of gateway.yaml that are no check's own. */
export const coreSections = {
  server,
  redis,
  proxy,
  auth,
  providers: providersSection,
  pricing,
  session: sessionSection,
  mcp: mcpSection,
  risk_profile: riskProfile,
  policy: policySection,
  alerting,
  signature,
  otel,
  zsp,
  audit,
  envoy,
};

/** What every check may read of the configuration, besides its own sections. */
export type CoreConfig = Settings<ReturnType<typeof section<typeof coreSections>>> & {
  readonly server: {
    /** From `SERVER_INSECURE_DEV=true` alone, never from the file: plain HTTP is allowed. Development only. */
    readonly insecure_dev: boolean;
  };
};
