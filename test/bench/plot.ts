import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { drawChart, type Chart } from './chart.ts';
import { sizeText } from './tables.ts';

const run = z.object({
  cost: z.object({
    rows: z.array(z.object({ name: z.string(), promptBytes: z.number(), cpu: z.number() })),
  }),
  histories: z.object({
    rows: z.array(z.object({ name: z.string(), turn: z.number(), cpuMs: z.number() })),
  }),
});
type Run = z.infer<typeof run>;

const DOCS = join(import.meta.dirname, '..', '..', 'docs');

/** Draws a run's results into docs/; resolves with the files. Throws if the file has no complete run. */
export function plotRun(file: string, directory = DOCS): readonly string[] {
  const parsed = run.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!parsed.success)
    throw new Error(`${file} has no whole run: npm run bench -- all --json ${file} writes one`, {
      cause: parsed.error,
    });
  const charts = {
    'cost-over-size.svg': sizeChart(parsed.data),
    'cost-over-turns.svg': turnChart(parsed.data),
  };
  return Object.entries(charts).map(([name, chart]) => {
    const path = join(directory, name);
    writeFileSync(path, drawChart(chart));
    return path;
  });
}

/** Seconds per 1,000 requests are milliseconds per request. */
function sizeChart({ cost: { rows } }: Run): Chart {
  return {
    title: 'What a request costs, by the size of its prompt',
    x: {
      label: 'prompt (bytes, logarithmic)',
      isLogarithmic: true,
      ticks: distinct(rows.map(({ promptBytes }) => promptBytes)),
      format: sizeText,
    },
    y: { label: 'CPU of all processes per request (ms, logarithmic)', isLogarithmic: true, format: String },
    series: seriesOf(rows, ({ promptBytes, cpu }) => ({ x: promptBytes, y: cpu })),
  };
}

function turnChart({ histories: { rows } }: Run): Chart {
  return {
    title: 'What a turn costs of an agent that sends its whole history',
    x: {
      label: 'turn (number; 2 KB more each)',
      isLogarithmic: false,
      ticks: [1, 10, 20, 30, 40],
      format: String,
    },
    y: { label: 'CPU of all processes per turn (ms)', isLogarithmic: false, format: String },
    series: seriesOf(rows, ({ turn, cpuMs }) => ({ x: turn, y: cpuMs })),
  };
}

function seriesOf<Row extends { readonly name: string }>(
  rows: readonly Row[],
  point: (row: Row) => { readonly x: number; readonly y: number },
) {
  return distinct(rows.map(({ name }) => name)).map((name) => ({
    name,
    points: rows.filter((row) => row.name === name).map(point),
  }));
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
