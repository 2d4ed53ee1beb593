import type { RedisClient } from './client.ts';
import { redisUnavailable } from './unavailable.ts';

export interface ServerCheck {
  readonly version: string;
  readonly maxmemoryPolicy: string;
  /** What makes this server unfit, each with its remedy; empty where it is fit. */
  readonly problems: readonly string[];
}

const MIN_MAJOR_VERSION = 7;

/** Reads what `serve` and `doctor` demand of Redis: version 7 or newer, and no eviction (DECISIONS "Redis"). */
export async function checkServer(client: RedisClient): Promise<ServerCheck> {
  try {
    const version = infoField(await client.info('server'), 'redis_version') ?? 'unknown';
    const maxmemoryPolicy = await readMaxmemoryPolicy(client);
    return { version, maxmemoryPolicy, problems: problemsOf(version, maxmemoryPolicy) };
  } catch (failure) {
    throw redisUnavailable(failure);
  }
}

function problemsOf(version: string, maxmemoryPolicy: string): string[] {
  const problems: string[] = [];
  if (!(Number.parseInt(version, 10) >= MIN_MAJOR_VERSION)) {
    problems.push(`Redis ${version} is too old: install Redis ${MIN_MAJOR_VERSION} or newer`);
  }
  if (maxmemoryPolicy !== 'noeviction') {
    problems.push(
      `Redis may evict keys (maxmemory-policy ${maxmemoryPolicy}), which would forget budgets and locks: ` +
        'run "redis-cli CONFIG SET maxmemory-policy noeviction" and set the same in redis.conf',
    );
  }
  return problems;
}

/** INFO tells the policy too, which matters where a hosted Redis forbids CONFIG. */
async function readMaxmemoryPolicy(client: RedisClient): Promise<string> {
  const policy = infoField(await client.info('memory'), 'maxmemory_policy');
  if (policy !== undefined) {
    return policy;
  }
  const reply: unknown = await client.call('CONFIG', 'GET', 'maxmemory-policy');
  return Array.isArray(reply) && typeof reply[1] === 'string' ? reply[1] : 'unknown';
}

function infoField(info: string, field: string): string | undefined {
  const line = info.split('\r\n').find((candidate) => candidate.startsWith(`${field}:`));
  return line?.slice(field.length + 1);
}
