import type { Probes } from '../probe.ts';
import { auditReceiverProbes } from './audit-receivers.ts';
import { budgetProbes } from './budgets.ts';
import { conductProbes } from './conduct.ts';
import { credentialProbes } from './credentials.ts';
import { envoyProbes } from './envoy.ts';
import { identityProbes } from './identity.ts';
import { mcpProbes } from './mcp.ts';
import { outwardProbes } from './outward.ts';
import { pricingProbes } from './pricing.ts';
import { processProbes } from './process.ts';
import { redisProbes } from './redis.ts';
import { riskAndPolicyProbes } from './risk-and-policy.ts';
import { routeProbes } from './routes.ts';
import { serverProbes } from './server.ts';
import { uiProbes } from './ui.ts';
import { uiSignInProbes } from './ui-sign-in.ts';

/** A probe for every key of gateway.yaml, by the name that `settingLeaves` gives it. */
export const PROBES: Probes = {
  ...auditReceiverProbes,
  ...envoyProbes,
  ...serverProbes,
  ...budgetProbes,
  ...conductProbes,
  ...credentialProbes,
  ...mcpProbes,
  ...processProbes,
  ...redisProbes,
  ...identityProbes,
  ...outwardProbes,
  ...pricingProbes,
  ...riskAndPolicyProbes,
  ...routeProbes,
  ...uiProbes,
  ...uiSignInProbes,
};
