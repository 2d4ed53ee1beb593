import { setTimeout as delay } from 'node:timers/promises';
import { createRandom } from '../support/random.ts';
import { behaveAsPlanned, type Fault } from './faults.ts';
import { charges, leftOver, type Account } from './left-over.ts';
import type { Lossy } from './ledger.ts';
import type { FaultSeen, SoakReport } from './report.ts';
import { startSoakRig, type SoakRig } from './rig.ts';
import { startTraffic, type Traffic } from './traffic.ts';
import { rises, watchProcesses, type Sample } from './watch.ts';

export interface SoakOptions {
  /** From the first request on; a fault that has begun is completed. */
  readonly forMs: number;
  /** One after another, repeatedly. */
  readonly faults: readonly Fault[];
  readonly seed: number;
  readonly note?: (line: string) => void;
}

const CLIENTS = 12;
const WARM_MS = 4_000;
const RECOVERS_WITHIN_MS = 90_000;
/** Duration of load after each fault. */
const CALM_MS = 2_500;
/** Redis confirms writes sent just before a fault together with it. */
const LOSSY_BEFORE_MS = 1_000;
const LOSSY_AFTER_MS = 2_000;

/** Requests of all kinds against a real gateway, faults one after another, and the problems at the end. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const rig = await startSoakRig();
  try {
    return await soak(rig, options);
  } finally {
    await rig.close();
  }
}

async function soak(
  rig: SoakRig,
  { forMs, faults, seed, note = () => undefined }: SoakOptions,
): Promise<SoakReport> {
  behaveAsPlanned(rig.provider);
  const startedAt = performance.now();
  const traffic = startTraffic({
    baseUrl: rig.gateway.baseUrl,
    clients: CLIENTS,
    random: createRandom(seed),
    keys: rig.keys,
    poor: rig.poor,
  });
  const watch = watchProcesses(rig.gateway);
  const samples: Sample[] = [];
  const seen: FaultSeen[] = [];
  const lossy: Lossy[] = [];
  const ledger = new Ledger();
  async function look(after: string, losesWrites: boolean): Promise<void> {
    await traffic.pause();
    await ledger.check(rig, traffic, lossy, after);
    if (!losesWrites) ledger.close();
    samples.push(await watch.sample((performance.now() - startedAt) / 1000, traffic.asked.length));
    traffic.resume();
  }

  await delay(WARM_MS);
  await look('the start', false);
  for (let nth = 0; performance.now() - startedAt < forMs; nth += 1) {
    const fault = faults[nth % faults.length];
    if (fault === undefined) break;
    const from = performance.now();
    const one = await caused(rig, fault, traffic);
    note(`${fault.name}: well again after ${(one.recoveredMs / 1000).toFixed(1)} s`);
    seen.push({ ...one, atSeconds: (from - startedAt) / 1000 });
    if (fault.losesWrites)
      lossy.push({ from: from - LOSSY_BEFORE_MS, to: performance.now() + LOSSY_AFTER_MS });
    await delay(CALM_MS);
    await look(fault.name, fault.losesWrites);
  }
  await traffic.stop();
  await ledger.check(rig, traffic, lossy, 'the end');
  ledger.close();
  const seconds = (performance.now() - startedAt) / 1000;
  const left = await leftOver(rig);
  return {
    seconds,
    seed,
    requests: traffic.asked.length,
    outcomes: traffic.outcomes,
    faults: seen,
    samples,
    accounts: ledger.accounts(),
    problems: [...traffic.faults, ...ledger.problems, ...left, ...rises(samples)],
  };
}

/** Compares the keys' charges with the provider's count, from one check to the next. */
class Ledger {
  readonly problems: string[] = [];
  readonly #sums = new Map<string, Account>();
  #closed = 0;
  #checked = 0;
  #last: readonly Account[] = [];

  async check(rig: SoakRig, { asked }: Traffic, lossy: readonly Lossy[], after: string): Promise<void> {
    const some = asked.slice(this.#closed);
    this.#checked = asked.length;
    const spent = new Map([...this.#sums].map(([name, sum]) => [name, sum.spent]));
    const { accounts, problems } = await charges(rig, some, lossy, spent);
    for (const problem of problems) this.problems.push(`after ${after}: ${problem}`);
    this.#last = accounts;
  }

  /**
   * Starts again from the last check. Not after Redis lost writes: within the wide bounds of that time a
   * reservation may count as spent until its settlement is repeated.
   */
  close(): void {
    this.#closed = this.#checked;
    for (const one of this.#last) {
      const sum = this.#sums.get(one.name) ?? { ...one, spent: 0, least: 0, most: 0 };
      this.#sums.set(one.name, {
        ...one,
        spent: sum.spent + one.spent,
        least: sum.least + one.least,
        most: sum.most + one.most,
      });
    }
    this.#last = [];
  }

  accounts(): readonly Account[] {
    return [...this.#sums.values()];
  }
}

/** Causes a fault, and waits until the gateway is ready again and answers a request correctly. */
async function caused(rig: SoakRig, fault: Fault, traffic: Traffic): Promise<Omit<FaultSeen, 'atSeconds'>> {
  const from = performance.now();
  const before = wholeCount(traffic);
  await fault.cause(rig);
  const isReady = (now: { readonly ready: boolean }): boolean => now.ready;
  await rig.gateway.waitUntil(isReady, RECOVERS_WITHIN_MS);
  const atReady = wholeCount(traffic);
  while (wholeCount(traffic) === atReady) {
    if (performance.now() - from > RECOVERS_WITHIN_MS) throw new Error(`no answer after: ${fault.name}`);
    await delay(20);
  }
  return { name: fault.name, recoveredMs: performance.now() - from, wellMeanwhile: atReady - before };
}

function wholeCount({ asked }: Traffic): number {
  return asked.reduce((count, { isWhole }) => count + (isWhole ? 1 : 0), 0);
}
