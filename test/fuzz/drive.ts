import fc from 'fast-check';
import { slowness } from '../support/cpu-time.ts';
import { MAX_TURN_MS } from '../support/turn-sweep/sweep.ts';
import { watchTurns } from '../support/turn-sweep/turn-watch.ts';
import type { Judge, OpenSurface, Surface } from './surface.ts';

export interface DriveOptions {
  readonly seed: number;
  /** A case of this seed, as printed with a failure. */
  readonly path?: string | undefined;
  readonly forMs: number;
  /** Cases; unlimited unless set. */
  readonly runs?: number | undefined;
  readonly onRun?: (runs: number, seed: number) => void;
}

export interface Found {
  readonly seed: number;
  readonly path: string;
  /** The smallest failing case, and its failure. */
  readonly report: string;
}

export interface Driven {
  readonly runs: number;
  readonly found: Found | undefined;
  /** The longest turn that occurred twice. */
  readonly longestTurnMs: number;
}

/** Cases under one seed; the next batch has the next seed. */
const BATCH = 250;
const SHRINK_WITHIN_MS = 60_000;
/** Some turns compile code or collect memory: only a turn that is too long every time counts. */
const TIMES = 4;

/** Runs cases of a surface until its time is over, or one fails; then searches the smallest that fails. */
export async function drive<Case>(surface: Surface<Case>, options: DriveOptions): Promise<Driven> {
  const faults = collectFaults();
  const opened = await surface.open();
  const turns = watchTurns();
  const maxTurnMs = surface.mayTakeLong === true ? Infinity : MAX_TURN_MS;
  const untilMs = performance.now() + options.forMs;
  const most = options.runs ?? Infinity;
  let longestTurnMs = 0;
  let runs = 0;

  async function check(testCase: Case): Promise<void> {
    options.onRun?.(++runs, seed);
    const { judge, turnMs } = await measured(opened, testCase, turns, maxTurnMs);
    longestTurnMs = Math.max(longestTurnMs, turnMs);
    await judge();
    await new Promise((resolve) => setImmediate(resolve));
    const fault = faults.take();
    if (fault !== undefined) throw new Error('something was thrown beside it', { cause: fault });
    if (turnMs >= maxTurnMs) throw new Error(`a turn of the event loop took ${turnMs.toFixed(0)} ms`);
  }

  let { seed } = options;
  let found: Found | undefined;
  try {
    while (found === undefined && runs < most && performance.now() < untilMs) {
      found = await batch(fc.asyncProperty(surface.cases, check), seed, { ...options, most: most - runs });
      if (options.path !== undefined) break;
      if (found === undefined) seed += 1;
    }
  } finally {
    turns.stop();
    await opened.close();
    faults.stop();
  }
  return { runs, found, longestTurnMs };
}

async function batch<Case>(
  property: fc.IAsyncProperty<[Case]>,
  seed: number,
  { path, most }: { readonly path?: string | undefined; readonly most: number },
): Promise<Found | undefined> {
  const details = await fc.check(property, {
    seed,
    numRuns: Math.min(BATCH, most),
    interruptAfterTimeLimit: SHRINK_WITHIN_MS,
    ...(path === undefined ? {} : { path, endOnFailure: true }),
  });
  if (!details.failed) return undefined;
  if (details.counterexample === null) return undefined;
  const report = `${fc.stringify(details.counterexample[0])}\n${said(details.errorInstance)}`;
  return { seed, path: details.counterexamplePath ?? '', report };
}

function said(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by ${said(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}

/** The shortest of some runs' longest turns, up to the first that is short enough. */
async function measured<Case>(
  opened: OpenSurface<Case>,
  testCase: Case,
  turns: ReturnType<typeof watchTurns>,
  maxTurnMs: number,
): Promise<{ judge: Judge; turnMs: number }> {
  let turnMs = Infinity;
  for (let time = 1; ; time += 1) {
    if (time > 1) globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
    turns.longestMs();
    const judge = await opened.run(testCase);
    await new Promise((resolve) => setImmediate(resolve));
    turnMs = Math.min(turnMs, turns.longestMs());
    if (turnMs >= maxTurnMs) turnMs /= slowness();
    if (turnMs < maxTurnMs || time === TIMES) return { judge, turnMs };
  }
}

/** Collects unhandled errors. */
function collectFaults(): { take(): unknown; stop(): void } {
  const thrown: unknown[] = [];
  const note = (cause: unknown): void => void thrown.push(cause);
  process.on('unhandledRejection', note).on('uncaughtException', note);
  return {
    take: () => thrown.splice(0).at(0),
    stop: () => void process.off('unhandledRejection', note).off('uncaughtException', note),
  };
}
