import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { seededPart } from '../../support/seeded-part.ts';
import { FAULTS } from '../../soak/faults.ts';
import { written } from '../../soak/report.ts';
import { runSoak } from '../../soak/run.ts';

/** A short part of `npm run soak -- --minutes N`, which runs longer and with every fault. */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 0);
const PART_MS = 20_000;
const REPORT = process.env['SOAK_REPORT'];

it(
  'requests of all kinds continue through faults, and leave nothing behind',
  { timeout: (MINUTES + 5) * 60_000, ...(MINUTES > 0 && { retry: 0 }) },
  async () => {
    const report = await runSoak({
      forMs: MINUTES > 0 ? MINUTES * 60_000 : PART_MS,
      faults: MINUTES > 0 ? FAULTS : seededPart('endurance', FAULTS.slice(0, 6), 1 / 3),
      seed: Number(process.env['SOAK_SEED'] ?? 1),
      note: (line) => process.stdout.write(`${line}\n`),
    });
    const text = written(report);
    if (REPORT === undefined) process.stdout.write(`${text}\n`);
    else writeFileSync(REPORT, `${text}\n`);
    expect(report.problems).toEqual([]);
    expect(report.requests).toBeGreaterThan(100);
  },
);
