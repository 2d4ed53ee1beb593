import type { ConfigInput } from '../../src/config/schema.ts';
import { chatBody, requestBytes } from '../support/load.ts';
import type { Rig } from './gateway-rig.ts';

/** Every check judges, and none refuses what the bench sends. */
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
  policy: { presets: ['safety'] },
};

/** Requests of one session, one after the other. */
const TURNS = 8;
const WORDS = 60;

/** Prompts of 1 KB that nobody has sent before, in sessions of several turns. */
export function newTurns(rig: Rig): () => Buffer {
  let n = 0;
  return () => {
    n += 1;
    const words = Array.from(
      { length: WORDS },
      (_, at) => `${(n * (at + 1) * 7_919).toString(36)} over the lazy`,
    );
    const session = `bench-${String(process.pid)}-${String(Math.floor(n / TURNS))}`;
    const headers = { ...rig.headers, 'x-gateway-session-id': session };
    return requestBytes({ ...rig, headers }, chatBody(false, words.join(' ').slice(0, 1_000)));
  };
}
