import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { jsonl, scan } from './run-scan.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-scan-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('conversations', () => {
  const turns = [
    'Which vegetables should I plant in my garden this spring, and how deep do the seeds go?',
    'How often should I water the vegetables that I plant in the garden?',
    'What fertilizer helps garden vegetables grow from seeds in spring?',
    'Write a letter to my landlord about the broken elevator and the noisy neighbours upstairs.',
    'When can I harvest the vegetables that I plant in the garden this spring?',
  ];
  const report = z.object({
    id: z.string(),
    turns: z.array(
      z.object({
        turn_count: z.number(),
        drift_score: z.number(),
        anchor_similarity: z.number(),
        prior_similarity: z.number(),
        denied: z.boolean(),
      }),
    ),
  });

  async function judged(args: readonly string[], rows: readonly object[]) {
    const { code, lines } = await scan(['--conversations', ...args], jsonl(rows));
    expect(code).toBe(0);
    return lines.map((line) => report.parse(line));
  }

  it('are judged turn by turn, each separately, and continue after a denied turn', async () => {
    const [first, second] = await judged(
      [],
      [
        { id: 'a', turns, replies: [] },
        { id: 'b', turns: turns.slice(0, 2) },
      ],
    );
    expect(first?.turns.map(({ denied }) => denied)).toEqual([false, false, false, true, false]);
    expect(second).toEqual({ id: 'b', turns: first?.turns.slice(0, 2) });
  });

  it('are judged by the configuration, even if drift detection is off', async () => {
    const path = join(folder, 'drift.yaml');
    writeFileSync(path, 'session: {drift_detection: {enabled: false, min_turns: 5}}\n');
    const [one] = await judged(['--config', path], [{ id: 'a', turns, replies: [] }]);
    expect(one?.turns.map(({ denied }) => denied)).toEqual([false, false, false, false, false]);
  });

  it('report an invalid row', async () => {
    const { code, lines } = await scan(['--conversations'], jsonl([{ id: 'a', text: 'x' }]));
    expect({ code, lines }).toEqual({
      code: 1,
      lines: [{ id: 'a', line: 1, error: 'turns must be a list of strings' }],
    });
  });
});
