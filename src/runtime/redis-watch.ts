import type { Config } from '../config/schema.ts';
import { connectRedis, waitUntilReady, describedRedis } from '../redis/client.ts';
import { checkServer } from '../redis/server-check.ts';
import type { Logger } from '../telemetry/logger.ts';
import { messageOf } from '../errors.ts';

/** Watches that the Redis behind the workers is one that `serve` accepts, at start and after each reconnect. */
export interface RedisWatch {
  /** The server that was reached last is too old, or may evict. */
  readonly unfit: boolean;
  close(): void;
}

/** How long `serve` waits for Redis before it starts without it: every request is 503 until Redis is there. */
const WAIT_AT_START_MS = 1_500;
/** An unfit server is asked again this often, so that an operator who mends it sees it at once. */
const ASK_AGAIN_MS = 1_000;

/**
 * Connects and checks. A Redis that is away does not hold up the start.
 * @throws Error with the remedy, where Redis answers and may not be used
 */
export async function watchRedis(config: Config, log: Logger): Promise<RedisWatch> {
  let unfit = false;
  let starting = true;
  let closed = false;
  const client = connectRedis(config.redis, {
    name: 'gateway-serve',
    onState: (state) => {
      if (state === 'ready' && !starting) void recheck();
    },
  });
  const problems = async (): Promise<readonly string[]> => (await checkServer(client)).problems;
  async function recheck(): Promise<void> {
    // A failed check is an outage: the next reconnect asks again.
    const found = await problems().catch(() => undefined);
    if (found === undefined || closed) return;
    if (!unfit) for (const problem of found) log.error({ redis: describedRedis(config.redis) }, problem);
    unfit = found.length > 0;
    if (unfit) setTimeout(() => void recheck(), ASK_AGAIN_MS).unref();
  }

  let reached: readonly string[] | undefined;
  try {
    await waitUntilReady(client, WAIT_AT_START_MS);
    reached = await problems();
  } catch (cause) {
    const reason = messageOf(cause);
    log.warn(
      { redis: describedRedis(config.redis), cause: reason },
      'Redis is unavailable: no request passes until it is back',
    );
  }
  starting = false;
  if (reached !== undefined && reached.length > 0) {
    client.disconnect();
    throw new Error(reached.join('; '));
  }
  return {
    get unfit() {
      return unfit;
    },
    close: () => {
      closed = true;
      client.disconnect();
    },
  };
}
