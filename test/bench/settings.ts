import type { ConfigInput } from '../../src/config/schema.ts';

/** Only keys and budgets. */
export const CORE_CHECKS: ConfigInput = {
  loop_detection: { enabled: false },
  risk_profile: { enabled: false },
};

/** Keys, budgets in five windows, and data-loss prevention of prompts and answers: the features of other gateways. */
export const EQUAL_WORK: ConfigInput = {
  ...CORE_CHECKS,
  server: { dlp: { enabled: true, requests: 'mask' } },
};

/** Every check judges, and none refuses the bench's requests. */
export const EVERY_CHECK: ConfigInput = {
  server: { dlp: { enabled: true, scan_network: true, requests: 'mask' } },
  rate_limit: { enabled: true, requests_per_minute: 1_000_000 },
  session: {
    drift_detection: {
      enabled: true,
      min_turns: 1,
      anchor_similarity_threshold: 0,
      drift_score_threshold: 1,
    },
  },
  loop_detection: { action: 'block', velocity: { max_rps: 100_000 } },
  policy: { enabled: true, presets: ['safety'] },
};
