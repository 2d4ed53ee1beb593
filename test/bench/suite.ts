import { measureCost } from './cost.ts';
import { measureFootprint } from './footprint.ts';
import { measureHistories } from './histories.ts';
import type { BenchOptions } from './options.ts';
import { LIMIT_MS, measureQuarantine } from './quarantine.ts';
import { OURS_ALL, RIG_NAMES, startRejection, startRigs } from './rigs.ts';
import { measureStartUp } from './start-up.ts';
import { measureStreams } from './streams.ts';
import {
  costTable,
  footprintTable,
  historyTable,
  rejectionTable,
  startUpText,
  streamTable,
} from './tables.ts';

/** Measures, prints a table, and returns the results as JSON. */
export type Measure = (options: BenchOptions) => Promise<object>;

const ROUNDS = 5;
const print = (text: string): void => void process.stdout.write(`\n${text}`);

const cost: Measure = async ({ rigs: wanted, rounds = ROUNDS, sizes }) => {
  const { close, ...rigs } = await startRigs((name) => wanted.test(name));
  try {
    const result = await measureCost(rigs, { rounds, sizes });
    print(costTable(result));
    return { cost: result };
  } finally {
    await close();
  }
};

const histories: Measure = async ({ rigs: wanted, rounds = ROUNDS }) => {
  const { close, rigs } = await startRigs((name) => wanted.test(name));
  try {
    const result = await measureHistories(rigs, rounds);
    print(historyTable(result));
    return { histories: result };
  } finally {
    await close();
  }
};

const streams: Measure = async ({ rigs: wanted, rounds = ROUNDS }) => {
  const { close, rigs } = await startRigs((name) => wanted.test(name));
  try {
    const rows = await measureStreams(rigs, rounds);
    print(streamTable(rows));
    return { streams: rows };
  } finally {
    await close();
  }
};

const quarantine: Measure = async ({ rounds = ROUNDS }) => {
  const { close, ...targets } = await startRejection();
  try {
    const result = await measureQuarantine(targets, rounds);
    print(rejectionTable(result, LIMIT_MS));
    return { rejection: result };
  } finally {
    await close();
  }
};

const footprint: Measure = async ({ rigs: wanted, rounds = ROUNDS }) => {
  const names = RIG_NAMES.filter((name) => wanted.test(name));
  const result = await measureFootprint(names);
  print(footprintTable(result));
  if (!names.includes(OURS_ALL)) return { footprint: result };
  const startUp = await measureStartUp(rounds);
  print(startUpText(startUp));
  return { footprint: result, startUp };
};

/** The last one fails if the machine cannot carry its load; the other results are stored by then. */
export const SUITE: Readonly<Record<string, Measure>> = { cost, histories, streams, footprint, quarantine };
