import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { RiskEvent, RiskOutcome } from '../../../src/risk/store.ts';

const SCORER = join(import.meta.dirname, '..', '..', 'support', 'risk-scorer.ts');

/** Records events from two separate processes, alternating, all at once. */
export async function scoreFromTwoProcesses(
  addr: string,
  events: readonly RiskEvent[],
): Promise<readonly RiskOutcome[]> {
  const halves = [0, 1].map((odd) => events.filter((_, index) => index % 2 === odd));
  const scorers = await Promise.all(halves.map((half) => startScorer(addr, half)));
  return (await Promise.all(scorers.map((score) => score()))).flat();
}

/** Resolves when the process is connected, with a function that starts it. */
async function startScorer(
  addr: string,
  events: readonly RiskEvent[],
): Promise<() => Promise<readonly RiskOutcome[]>> {
  const child = fork(SCORER, [addr]);
  const says = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      child.once('message', resolve);
      child.once('exit', () => reject(new Error('a scorer ended early')));
    });
  await says();
  return async () => {
    const done = says();
    child.send(events);
    const outcomes = (await done) as readonly RiskOutcome[];
    child.disconnect();
    return outcomes;
  };
}
