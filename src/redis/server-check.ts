import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './client.ts';
import { redisUnavailable } from './unavailable.ts';

export interface ServerCheck {
  readonly version: string;
  readonly maxmemoryPolicy: string;
  /** Problems with remedies; empty if the server is fit. */
  readonly problems: readonly string[];
}

const MIN_MAJOR_VERSION = 7;
const REPLICA_ANSWERS_WITHIN_MS = 500;

/**
 * Checks that Redis is version 7 or newer and does not evict keys (docs/redis.md). Checks every server of a cluster,
 * because any master may hold a lock, and any replica may become a master.
 */
export async function checkServer(client: RedisClient): Promise<ServerCheck> {
  try {
    return client instanceof Cluster ? await checkCluster(client) : await checkOne(client, '');
  } catch (failure) {
    throw redisUnavailable(failure);
  }
}

/** Returns all problems, with version and policy of the first unfit server or, if all are fit, of the first server. */
async function checkCluster(cluster: Cluster): Promise<ServerCheck> {
  const masters = cluster.nodes('master').map((node) => checkOne(node, serverAddress(node)));
  const replicas = cluster.nodes('slave').map(checkReplica);
  const checks = (await Promise.all([...masters, ...replicas])).filter((check) => check !== undefined);
  const shown = checks.find(({ problems }) => problems.length > 0) ?? checks[0];
  if (shown === undefined) throw new Error('no cluster node is known');
  return { ...shown, problems: checks.flatMap(({ problems }) => problems) };
}

/** Returns undefined for a replica that does not answer, because it cannot take over. */
function checkReplica(node: Redis): Promise<ServerCheck | undefined> {
  const silent = delay(REPLICA_ANSWERS_WITHIN_MS, undefined, { ref: false });
  return Promise.race([checkOne(node, serverAddress(node)).catch(() => undefined), silent]);
}

async function checkOne(client: Redis, name: string): Promise<ServerCheck> {
  const version = infoField(await client.info('server'), 'redis_version') ?? 'unknown';
  const maxmemoryPolicy = await readMaxmemoryPolicy(client);
  return { version, maxmemoryPolicy, problems: serverProblems(`Redis${name}`, version, maxmemoryPolicy) };
}

function serverAddress({ options: { host = '', port = 0 } }: Redis): string {
  return ` at ${host}:${String(port)}`;
}

function serverProblems(server: string, version: string, maxmemoryPolicy: string): string[] {
  const problems: string[] = [];
  if (!(Number.parseInt(version, 10) >= MIN_MAJOR_VERSION)) {
    problems.push(`${server} (${version}) is too old: install Redis ${MIN_MAJOR_VERSION} or newer`);
  }
  if (maxmemoryPolicy !== 'noeviction') {
    problems.push(
      `${server} may evict keys (maxmemory-policy ${maxmemoryPolicy}), which would lose budgets and locks: ` +
        'run "redis-cli CONFIG SET maxmemory-policy noeviction" and set the same in redis.conf',
    );
  }
  return problems;
}

/** Prefers INFO, because hosted servers may forbid CONFIG. */
async function readMaxmemoryPolicy(client: Redis): Promise<string> {
  const policy = infoField(await client.info('memory'), 'maxmemory_policy');
  if (policy !== undefined) return policy;
  const reply: unknown = await client.call('CONFIG', 'GET', 'maxmemory-policy');
  return Array.isArray(reply) && typeof reply[1] === 'string' ? reply[1] : 'unknown';
}

function infoField(info: string, field: string): string | undefined {
  const line = info.split('\r\n').find((candidate) => candidate.startsWith(`${field}:`));
  return line?.slice(field.length + 1);
}
