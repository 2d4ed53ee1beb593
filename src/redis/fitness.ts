import { Cluster } from 'ioredis';
import { GatewayError } from '../errors.ts';
import type { RedisClient } from './client.ts';
import { checkServer } from './server-check.ts';
import { withRedisDeadline } from './unavailable.ts';

/** Whether the Redis behind a connection may be used at all; asked anew after each reconnect. */
export interface Fitness {
  readonly fit: boolean;
  /**
   * Resolves once the server is known to be new enough and not to evict.
   * @throws GatewayError redis_unavailable
   */
  assertFit(): Promise<void>;
  /** The connection was lost: whoever answers next may be another server. */
  reset(): void;
  close(): void;
}

/** An unfit server is asked again this often, so that traffic comes back when an operator mends it. */
const ASK_AGAIN_MS = 1_000;

/** Interval between checks of a fit server: its settings can change while it runs. */
export const CHECK_EVERY_MS = 20_000;

export interface FitnessOptions {
  readonly deadlineMs: number;
  readonly onProblem: (problem: string) => void;
  /** Default: CHECK_EVERY_MS. */
  readonly checkEveryMs?: number;
}

export function createFitness(client: RedisClient, options: FitnessOptions): Fitness {
  let fit = false;
  let asked: { readonly at: number; readonly answer: Promise<boolean> } | undefined;

  async function ask(): Promise<boolean> {
    const { problems } = await withRedisDeadline(options.deadlineMs, () => checkServer(client));
    for (const problem of problems) options.onProblem(problem);
    return problems.length === 0;
  }

  function reset(): void {
    fit = false;
    asked = undefined;
  }
  /** Requests pass meanwhile; a failed check is an outage, which each request notices by itself. */
  async function checkAgain(): Promise<void> {
    if (!fit) return;
    const question = { at: performance.now(), answer: ask() };
    asked = question;
    try {
      const answer = await question.answer;
      if (asked === question) fit = answer;
    } catch {
      if (asked === question) asked = undefined;
    }
  }
  const timer = setInterval(() => void checkAgain(), options.checkEveryMs ?? CHECK_EVERY_MS).unref();

  // Of a cluster a server can go and another come while the connection stands.
  if (client instanceof Cluster) client.on('+node', reset);

  return {
    get fit() {
      return fit;
    },
    async assertFit() {
      if (asked === undefined || performance.now() - asked.at > ASK_AGAIN_MS) {
        asked = { at: performance.now(), answer: ask() };
      }
      const question = asked;
      try {
        const answer = await question.answer;
        if (asked === question) fit = answer;
      } catch (failure) {
        if (asked === question) asked = undefined;
        throw failure;
      }
      if (!fit)
        throw new GatewayError(
          'redis_unavailable',
          'Redis is not set up as the gateway needs it: the log of the gateway says what to change',
        );
    },
    reset,
    close() {
      clearInterval(timer);
    },
  };
}
