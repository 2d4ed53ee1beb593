import type { CostResult, CostRow } from './cost.ts';

/** A table as Markdown has it. */
export function table(header: readonly string[], lines: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |\n`).join('');
}

/** `1 KB`, `1.5 KB`, `1 MB`. */
export function sizeText(bytes: number): string {
  const [count, unit] = bytes < 1_024 * 1_024 ? [bytes / 1_024, 'KB'] : [bytes / 1_024 / 1_024, 'MB'];
  return `${String(Math.round(count * 10) / 10)} ${unit}`;
}

const COST_HEADER = [
  'prompt',
  '',
  'req/s',
  'p50 ms at 1',
  'p99',
  'p50 ms at 32',
  'CPU',
  'Envoy',
  'Node',
  'Go',
  'Redis',
  'scripts',
  'commands',
  'waits',
  'failed',
] as const;

export function costTable({ rows, missing }: CostResult): string {
  const absent = missing.map(({ name, missing: why }) => `\n${name}: not measured here, for ${why}.\n`);
  return `${table(COST_HEADER, rows.map(costLine))}${absent.join('')}
CPU in seconds per 1,000 requests at 32 connections, of all processes of the row; medians of the rounds.
`;
}

function costLine(row: CostRow): readonly string[] {
  const isOurs = row.redisScripts > 0;
  const part = (seconds: number): string => (seconds === 0 ? '' : seconds.toFixed(3));
  return [
    sizeText(row.promptBytes),
    row.name,
    row.requestsPerSecond.toFixed(row.requestsPerSecond < 100 ? 1 : 0),
    row.p50Ms.toFixed(2),
    row.p99Ms.toFixed(2),
    row.p50LoadedMs.toFixed(2),
    row.cpu.toFixed(3),
    part(row.envoyCpu),
    part(row.nodeCpu),
    part(row.goCpu),
    part(row.redisCpu),
    isOurs ? row.redisScripts.toFixed(1) : '',
    isOurs ? row.redisCommands.toFixed(1) : '',
    isOurs ? row.redisWaits.toFixed(1) : '',
    String(row.failures),
  ];
}
