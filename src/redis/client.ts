import { Cluster, Redis } from 'ioredis';
import type { ConnectionOptions } from 'node:tls';
import { parseHostPort, type HostPort } from '../config/address.ts';
import type { CoreConfig } from '../config/core.ts';
import { watchConnection } from './connection-watch.ts';
import { withoutArguments } from './unavailable.ts';
import { setWriteVersion } from './stored-forms.ts';
import { latestPemTexts } from '../certificates/pem.ts';

/** A single Redis, a Sentinel group's master, or a cluster. */
export type RedisClient = Redis | Cluster;

/** Times in milliseconds. */
export type RedisSettings = CoreConfig['redis'];

export type RedisState = 'ready' | 'down';

export interface RedisStoreOptions {
  readonly client: RedisClient;
  /** See `phaseDeadlineMs`. */
  readonly deadlineMs: number;
  /** Test clock in Unix ms; defaults to the Redis clock (docs/redis.md). */
  readonly now?: () => number;
}

export interface ConnectOptions {
  readonly name: string;
  /** Called on every change. `reason` is the last error, if any, and contains no credentials. */
  readonly onState?: (state: RedisState, reason: Error | undefined) => void;
  /** Set for subscribers and blocking reads, whose connections may be silent. */
  readonly mayBeSilent?: boolean;
}

/** Returns immediately; see `waitUntilReady`. Commands fail fast while Redis is down, and the client reconnects. */
export function connectRedis(settings: RedisSettings, options: ConnectOptions): RedisClient {
  const client =
    settings.cluster.addrs.length > 0 ? connectCluster(settings, options) : connectOne(settings, options);
  setWriteVersion(client, settings.write_version);
  watchState(client, options.onState);
  function watch(connection: Redis): void {
    watchConnection(connection, {
      readTimeoutMs: settings.read_timeout,
      writeTimeoutMs: settings.write_timeout,
      mayBeSilent: options.mayBeSilent === true,
    });
  }
  if (client instanceof Cluster) client.on('+node', watch);
  else {
    watch(client);
    reconnectAfterEnd(client);
  }
  return client;
}

/** Resolves once commands can be sent. Rejects after `timeoutMs` with the last error. */
export async function waitUntilReady(client: RedisClient, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return;
  await new Promise<void>((resolve, reject) => {
    let reason = new Error('no answer');
    function onError(failure: unknown): void {
      reason = withoutArguments(failure);
    }
    function onReady(): void {
      clearTimeout(timer);
      client.off('error', onError);
      resolve();
    }
    const timer = setTimeout(() => {
      client.off('error', onError);
      client.off('ready', onReady);
      reject(reason);
    }, timeoutMs);
    client.on('error', onError);
    client.once('ready', onReady);
  });
}

/** Resolves after the first connection attempt, or after `timeoutMs`. */
export async function firstAttempt(client: RedisClient, timeoutMs: number): Promise<void> {
  if (client.status === 'ready') return;
  await new Promise<void>((resolve) => {
    function done(): void {
      clearTimeout(timer);
      client.off('ready', done);
      client.off('close', done);
      resolve();
    }
    const timer = setTimeout(done, timeoutMs);
    client.on('ready', done);
    client.on('close', done);
  });
}

/** Returns 50 ms, 100 ms … 2 s, with jitter so that workers do not all reconnect at once. */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt - 1, 10), 2000) + Math.floor(Math.random() * 50);
}

function connectOne(settings: RedisSettings, options: ConnectOptions): Redis {
  return new Redis({
    ...commonOptions(settings, options),
    ...(settings.sentinel.addrs.length > 0 ? sentinelOptions(settings) : checkedHostPort(settings.addr)),
    db: settings.db,
    enableOfflineQueue: false,
    retryStrategy: reconnectDelayMs,
  });
}

/** Reconnects, because ioredis gives up if a failover is announced while it asks a sentinel for the master. */
function reconnectAfterEnd(client: Redis): void {
  const disconnect = client.disconnect.bind(client);
  let isWanted = true;
  let attempts = 0;
  client.disconnect = (reconnect = false): void => {
    if (!reconnect) isWanted = false;
    disconnect(reconnect);
  };
  client.on('ready', () => (attempts = 0));
  client.on('end', () => {
    if (!isWanted) return;
    attempts += 1;
    setTimeout(() => {
      if (isWanted) client.connect().catch(() => undefined);
    }, reconnectDelayMs(attempts));
  });
}

function connectCluster(settings: RedisSettings, options: ConnectOptions): Cluster {
  return new Cluster(settings.cluster.addrs.map(checkedHostPort), {
    enableOfflineQueue: false,
    maxRedirections: settings.max_retries + 1,
    // Limits how long a hanging server delays slot updates.
    slotsRefreshTimeout: Math.min(settings.dial_timeout, settings.read_timeout / 4),
    clusterRetryStrategy: reconnectDelayMs,
    // Without this, TLS would verify the IP address, but certificates contain host names.
    ...(settings.tls.enabled
      ? { dnsLookup: (host: string, done: (error: null, host: string) => void) => done(null, host) }
      : {}),
    redisOptions: commonOptions(settings, options),
  });
}

function commonOptions(settings: RedisSettings, options: ConnectOptions) {
  const tls = redisTlsOptions(settings.tls);
  return {
    connectionName: options.name,
    connectTimeout: settings.dial_timeout,
    maxRetriesPerRequest: settings.max_retries,
    // After a failover, the old master answers READONLY; a new connection reaches the new master.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    ...(settings.password === '' ? {} : { password: settings.password }),
    ...(tls === undefined ? {} : { tls }),
  };
}

function sentinelOptions(settings: RedisSettings) {
  const { addrs, master_name: name, password } = settings.sentinel;
  const tls = redisTlsOptions(settings.tls);
  return {
    name: name ?? 'mymaster',
    sentinels: addrs.map(checkedHostPort),
    sentinelRetryStrategy: reconnectDelayMs,
    sentinelCommandTimeout: settings.read_timeout,
    failoverDetector: true,
    ...(password === '' ? {} : { sentinelPassword: password }),
    ...(tls === undefined ? {} : { enableTLSForSentinelMode: true, sentinelTLS: tls }),
  };
}

function checkedHostPort(addr: string): HostPort {
  const parsed = parseHostPort(addr);
  if (parsed === undefined) throw new Error(`redis: "${addr}" must be host:port`);
  return parsed;
}

function watchState(client: RedisClient, onState: ConnectOptions['onState']): void {
  let state: RedisState = 'down';
  let reason: Error | undefined;
  function change(next: RedisState): void {
    if (next === state) return;
    state = next;
    onState?.(next, next === 'ready' ? undefined : reason);
  }
  // Without a listener, ioredis prints every failed attempt.
  client.on('error', (failure: unknown) => {
    reason = withoutArguments(failure);
  });
  client.on('ready', () => change('ready'));
  client.on('close', () => change('down'));
  client.on('end', () => change('down'));
}

export function describedRedis({ addr, cluster, sentinel }: RedisSettings): string {
  if (cluster.addrs.length > 0) return `cluster ${cluster.addrs.join(', ')}`;
  if (sentinel.addrs.length > 0) return `sentinel ${sentinel.addrs.join(', ')}`;
  return addr;
}

/**
 * Returns options that ioredis reads for each connection, so that new connections use renewed files.
 * @throws Error if a file cannot be used at start
 */
function redisTlsOptions(tls: RedisSettings['tls']): ConnectionOptions | undefined {
  if (!tls.enabled) return undefined;
  const latest = latestPemTexts({ path: 'redis.tls', ...tls });
  return {
    minVersion: 'TLSv1.2',
    ...(tls.server_name === undefined ? {} : { servername: tls.server_name }),
    get ca() {
      return latest().ca_file;
    },
    get cert() {
      return latest().cert_file;
    },
    get key() {
      return latest().key_file;
    },
  };
}
