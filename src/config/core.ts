import { alerting, audit, metrics, otel } from './sections/observability.ts';
import { auth, zsp, signature } from './sections/auth.ts';
import { envoy, server } from './sections/server.ts';
import { budgetsSection, spendSection } from './sections/budgets.ts';
import { credentialsSection } from './sections/credentials.ts';
import { mcpSection } from './sections/mcp.ts';
import { policySection } from './sections/policy.ts';
import { modelsSection, routesSection } from './sections/models.ts';
import { pricing } from './sections/pricing.ts';
import { providersSection, proxy } from './sections/providers.ts';
import { redis } from './sections/redis.ts';
import { ui } from './sections/ui.ts';
import { riskProfile, sessionSection } from './sections/session.ts';
import type { section, Settings } from './fields.ts';

/** Sections of gateway.yaml that do not belong to a single check. */
export const coreSections = {
  server,
  redis,
  proxy,
  auth,
  providers: providersSection,
  credentials: credentialsSection,
  models: modelsSection,
  routes: routesSection,
  pricing,
  budgets: budgetsSection,
  spend: spendSection,
  session: sessionSection,
  mcp: mcpSection,
  risk_profile: riskProfile,
  policy: policySection,
  alerting,
  signature,
  otel,
  metrics,
  zsp,
  audit,
  envoy,
  ui,
};

/** The configuration that every check may read in addition to its own sections. */
export type CoreConfig = Settings<ReturnType<typeof section<typeof coreSections>>> & {
  readonly server: {
    /** Set only by `SERVER_INSECURE_DEV=true`, never by the file. Allows plain HTTP, for development. */
    readonly insecure_dev: boolean;
  };
};
