import type { CostResult, CostRow } from './cost.ts';
import type { FootprintResult } from './footprint.ts';
import type { HistoryResult } from './histories.ts';
import type { QuarantineResult } from './quarantine.ts';
import type { MissingRig } from './rig.ts';
import type { StartUp } from './start-up.ts';
import type { StreamRow } from './streams.ts';

/** Returns a Markdown table. */
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
  'Go, Python',
  'Redis',
  'scripts',
  'commands',
  'waits',
  'judged again',
  'failed',
] as const;

export function costTable({ rows, missing }: CostResult): string {
  return `${table(COST_HEADER, rows.map(costLine))}${absentRows(missing)}
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
    part(row.otherCpu),
    part(row.redisCpu),
    isOurs ? row.redisScripts.toFixed(1) : '',
    isOurs ? row.redisCommands.toFixed(1) : '',
    isOurs ? row.redisWaits.toFixed(1) : '',
    isOurs ? `${(row.judgedAgain * 100).toFixed(1)} %` : '',
    failuresText(row.failures),
  ];
}

/** `0`, or `31 x 503`. */
function failuresText(failures: CostRow['failures']): string {
  const texts = Object.entries(failures).map(([status, count]) => `${String(count)} x ${status}`);
  return texts.length === 0 ? '0' : texts.join(', ');
}

function absentRows(missing: readonly MissingRig[]): string {
  return missing.map(({ name, missing: why }) => `\n${name}: not measured here, for ${why}.\n`).join('');
}

const SHOWN_TURNS = [1, 5, 10, 20, 30, 40];

export function historyTable({ rows, failures }: HistoryResult): string {
  const names = [...new Set(rows.map(({ name }) => name))];
  const lines = names.map((name) => {
    const shown = rows.filter((row) => row.name === name && SHOWN_TURNS.includes(row.turn));
    return [name, ...shown.map(({ cpuMs }) => cpuMs.toFixed(2)), String(failures[name] ?? 0)];
  });
  return `${table(['', ...SHOWN_TURNS.map((turn) => `turn ${String(turn)}`), 'failed'], lines)}
CPU in ms of a turn of an agent that sends its whole history, 2 KB more each time; medians of the rounds.
`;
}

export function streamTable(rows: readonly StreamRow[]): string {
  const lines = rows.map((row) => [
    row.name,
    row.firstTokenMs.toFixed(2),
    row.chunkMs.toFixed(2),
    row.chunkP99Ms.toFixed(2),
    row.streamsPerSecond.toFixed(1),
    row.cpuMs.toFixed(2),
  ]);
  return `${table(['', 'first token ms', 'chunk ms', 'p99', 'streams/s', 'CPU ms'], lines)}
Streams of 100 chunks, one every 5 ms: one after the other, and 32 at once (streams a second, CPU of a stream).
`;
}

export function rejectionTable({ addedP50Ms, addedP99Ms }: QuarantineResult, limitMs: number): string {
  const lines = Object.keys(addedP50Ms).map((connections) => [
    connections,
    (addedP50Ms[connections] ?? 0).toFixed(2),
    (addedP99Ms[connections] ?? 0).toFixed(2),
  ]);
  return `${table(['connections', 'p50 added ms', 'p99 added ms'], lines)}
A locked key's request, 1,000 a second, over an Envoy that refuses by itself; the limit of the p99 is ${String(limitMs)} ms.
`;
}

export function footprintTable({ rows, missing }: FootprintResult): string {
  const lines = rows.map((row) => [row.name, row.process, row.restMb.toFixed(0), row.workMb.toFixed(0)]);
  return `${table(['', 'process', 'MB at rest', 'MB at work'], lines)}${absentRows(missing)}`;
}

export function startUpText({ coldMs, coldCpuMs, warmMs, warmCpuMs }: StartUp): string {
  return (
    `A start with every check on takes ${coldMs.toFixed(0)} ms (CPU ${coldCpuMs.toFixed(0)} ms) with nothing ` +
    `compiled, ${warmMs.toFixed(0)} ms (CPU ${warmCpuMs.toFixed(0)} ms) after one before it.\n`
  );
}
