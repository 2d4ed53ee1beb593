import type { Config } from '../config/schema.ts';
import type { RiskSettings } from './store.ts';

export function riskSettings({ risk_profile, session }: Config): RiskSettings {
  return {
    enabled: risk_profile.enabled,
    profileTtlMs: risk_profile.ttl,
    autoQuarantineThreshold: risk_profile.auto_quarantine_threshold,
    permanentBlockThreshold: risk_profile.permanent_block_threshold,
    sessionTtlMs: session.ttl,
  };
}
