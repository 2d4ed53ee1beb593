import { expect, it } from 'vitest';
import { measureState } from '../../support/state-at-scale.ts';

/** `STATE_KEYS=1000000 STATE_SESSIONS=100000 npm run state` measures more, and prints it. */
const KEYS = Number(process.env['STATE_KEYS'] ?? 5_000);
const SESSIONS = Number(process.env['STATE_SESSIONS'] ?? 500);

function note(line: string): void {
  if (process.env['STATE_KEYS'] !== undefined) process.stderr.write(`${line}\n`);
}

it(`${String(KEYS)} keys and ${String(SESSIONS)} sessions cost a start, a request and a scrape no more than ten`, async () => {
  const few = await measureState({ keys: 10, sessions: 5 }, note);
  const many = await measureState({ keys: KEYS, sessions: SESSIONS }, note);
  note(JSON.stringify([few, many], null, 2));
  expect(many.metricsBytes).toBeLessThan(few.metricsBytes * 1.1);
  expect(many.metricsMs).toBeLessThan(few.metricsMs * 5 + 500);
  expect(many.requestMs.p50).toBeLessThan(few.requestMs.p50 * 2 + 10);
  expect(many.startMs).toBeLessThan(few.startMs * 2 + 3_000);
  for (const command of [
    'keys show plain-1',
    'keys list --limit 50',
    'budget status --sort created --limit 50',
    'keys list --sort last-used --limit 50',
    'risk list --limit 50',
    'quarantine list',
  ])
    expect(many.commandMs[command], command).toBeLessThan((few.commandMs[command] ?? 0) * 3 + 2_000);
  expect(many.bytesPerKey).toBeLessThan(3_000);
  expect(many.bytesPerSession).toBeLessThan(3_000);
}, 1_800_000);
