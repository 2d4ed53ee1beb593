import { Cluster } from 'ioredis';
import { GatewayError } from '../errors.ts';
import type { RedisClient } from './client.ts';
import { checkServer } from './server-check.ts';
import { withRedisDeadline } from './unavailable.ts';

export interface Fitness {
  readonly fit: boolean;
  /** @throws GatewayError redis_unavailable unless the server is new enough and does not evict */
  assertFit(): Promise<void>;
  /** Must be called after a lost connection, because another server may answer next. */
  reset(): void;
  close(): void;
}

/** Minimum time between checks of an unfit server, so that traffic resumes soon after it is fixed. */
const ASK_AGAIN_MS = 1_000;

/** Interval between checks of a fit server, whose settings may change. */
export const CHECK_EVERY_MS = 20_000;

export interface FitnessOptions {
  readonly deadlineMs: number;
  readonly onProblem: (problem: string) => void;
  readonly checkEveryMs?: number;
}

export function createFitness(client: RedisClient, options: FitnessOptions): Fitness {
  let fit = false;
  let latest: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  async function serverFits(): Promise<boolean> {
    const { problems } = await withRedisDeadline(options.deadlineMs, () => checkServer(client));
    for (const problem of problems) options.onProblem(problem);
    return problems.length === 0;
  }

  function reset(): void {
    fit = false;
    latest = undefined;
  }
  /** Checks a fit server again. Ignores failed checks, because requests notice an outage on their own. */
  async function checkAgain(): Promise<void> {
    if (!fit) return;
    const started = { at: performance.now(), answer: serverFits() };
    latest = started;
    try {
      const answer = await started.answer;
      if (latest === started) fit = answer;
    } catch {
      if (latest === started) latest = undefined;
    }
  }
  const timer = setInterval(() => void checkAgain(), options.checkEveryMs ?? CHECK_EVERY_MS).unref();

  if (client instanceof Cluster) client.on('+node', reset);

  return {
    get fit() {
      return fit;
    },
    async assertFit() {
      if (latest === undefined || performance.now() - latest.at > ASK_AGAIN_MS) {
        latest = { at: performance.now(), answer: serverFits() };
      }
      const started = latest;
      try {
        const answer = await started.answer;
        if (latest === started) fit = answer;
      } catch (failure) {
        if (latest === started) latest = undefined;
        throw failure;
      }
      if (!fit)
        throw new GatewayError(
          'redis_unavailable',
          "Redis does not meet the gateway's requirements: the gateway log lists the problems",
        );
    },
    reset,
    close() {
      clearInterval(timer);
    },
  };
}
