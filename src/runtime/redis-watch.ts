import type { Config } from '../config/schema.ts';
import { connectRedis, waitUntilReady, describedRedis, type RedisClient } from '../redis/client.ts';
import { CHECK_EVERY_MS } from '../redis/fitness.ts';
import { checkServer } from '../redis/server-check.ts';
import type { Logger } from '../telemetry/logger.ts';
import { messageOf } from '../errors.ts';

export interface RedisWatch {
  /** Whether the last server checked is too old or may evict keys. */
  readonly unfit: boolean;
  readonly client: RedisClient;
  close(): void;
}

/** Maximum wait for Redis at start. Without Redis, `serve` starts nevertheless and answers 503. */
const WAIT_AT_START_MS = 1_500;
/** Interval between checks of an unfit server, so that a fix takes effect soon. */
const ASK_AGAIN_MS = 1_000;

/**
 * Connects and checks the server. An unreachable Redis does not block the start.
 * @throws Error with the remedy if Redis answers but must not be used
 */
export async function watchRedis(
  config: Config,
  log: Logger,
  checkEveryMs = CHECK_EVERY_MS,
): Promise<RedisWatch> {
  let unfit = false;
  let starting = true;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const client = connectRedis(config.redis, {
    name: 'gateway-serve',
    onState: (state) => {
      if (state === 'ready' && !starting) void recheck();
    },
  });
  const problems = async (): Promise<readonly string[]> => (await checkServer(client)).problems;
  async function recheck(): Promise<void> {
    clearTimeout(timer);
    // A failed check means an outage, after which the reconnect checks again.
    const found = await problems().catch(() => undefined);
    if (closed) return;
    if (found !== undefined) {
      if (!unfit) for (const problem of found) log.error({ redis: describedRedis(config.redis) }, problem);
      if (unfit && found.length === 0) log.info("Redis meets the gateway's requirements again");
      unfit = found.length > 0;
    }
    checkLater();
  }
  function checkLater(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void recheck(), unfit ? ASK_AGAIN_MS : checkEveryMs).unref();
  }

  let reached: readonly string[] | undefined;
  try {
    await waitUntilReady(client, WAIT_AT_START_MS);
    reached = await problems();
  } catch (cause) {
    const reason = messageOf(cause);
    log.warn(
      { redis: describedRedis(config.redis), cause: reason },
      'Redis is unavailable: requests are refused until it is back',
    );
  }
  starting = false;
  checkLater();
  if (reached !== undefined && reached.length > 0) {
    clearTimeout(timer);
    client.disconnect();
    throw new Error(reached.join('; '));
  }
  return {
    get unfit() {
      return unfit;
    },
    client,
    close: () => {
      closed = true;
      clearTimeout(timer);
      client.disconnect();
    },
  };
}
