import { availableParallelism } from 'node:os';
import type { Account } from './left-over.ts';
import type { Sample } from './watch.ts';

export interface FaultSeen {
  readonly name: string;
  readonly atSeconds: number;
  /** From its start until the gateway was ready and answered a request correctly. */
  readonly recoveredMs: number;
  /** Requests answered correctly until the gateway was ready. */
  readonly wellMeanwhile: number;
}

export interface SoakReport {
  readonly seconds: number;
  readonly seed: number;
  readonly requests: number;
  readonly outcomes: ReadonlyMap<string, number>;
  readonly faults: readonly FaultSeen[];
  readonly samples: readonly Sample[];
  readonly accounts: readonly Account[];
  /** Empty if all is well. */
  readonly problems: readonly string[];
}

const MB = 1_000_000;

/** The report as sections of a page. */
export function written(report: SoakReport): string {
  const { seconds, seed, requests, faults, samples, accounts, problems } = report;
  const cores = String(availableParallelism());
  return [
    `${String(requests)} requests in ${(seconds / 60).toFixed(1)} minutes on ${cores} cores, ${String(faults.length)} faults, seed ${String(seed)}.`,
    problems.length === 0
      ? 'No problem was found.'
      : `Problems:\n\n${problems.map((one) => `- ${one}`).join('\n')}`,
    '### Faults',
    table(
      ['fault', 'times', 'mean recovery', 'longest recovery', 'correct answers meanwhile'],
      faultRows(faults),
    ),
    '### Requests',
    table(
      ['request and outcome', 'count'],
      [...report.outcomes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => [name, String(count)]),
    ),
    '### Charges',
    table(
      ['key', 'charged (USD)', 'minimum (USD)', 'maximum (USD)'],
      accounts.map(({ name, spent, least, most }) => [name, usd(spent), usd(least), usd(most)]),
    ),
    '### Memory and descriptors',
    table(
      ['at', 'requests', ...Object.keys(samples[0]?.bytes ?? {}), 'descriptors: supervisor, worker, Envoy'],
      some(samples).map(({ atSeconds, requests: count, bytes, descriptors }) => [
        `${atSeconds.toFixed(0)} s`,
        String(count),
        ...Object.values(bytes).map((value) => `${(value / MB).toFixed(1)} MB`),
        Object.values(descriptors)
          .map((value) => value.toFixed(0))
          .join(', '),
      ]),
    ),
  ].join('\n\n');
}

function faultRows(faults: readonly FaultSeen[]): string[][] {
  return [...Map.groupBy(faults, ({ name }) => name)].map(([name, each]) => {
    const times = each.map(({ recoveredMs }) => recoveredMs / 1000);
    const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
    const well = each.reduce((sum, { wellMeanwhile }) => sum + wellMeanwhile, 0);
    return [
      name,
      String(each.length),
      `${mean.toFixed(1)} s`,
      `${Math.max(...times).toFixed(1)} s`,
      String(well),
    ];
  });
}

const MAX_SAMPLES = 12;

/** The first, the last, and some between. */
function some(samples: readonly Sample[]): readonly Sample[] {
  const every = Math.max(1, Math.ceil(samples.length / MAX_SAMPLES));
  return samples.filter((_, at) => at % every === 0 || at === samples.length - 1);
}

function usd(nanoUsd: number): string {
  return (nanoUsd / 1e9).toFixed(6);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
