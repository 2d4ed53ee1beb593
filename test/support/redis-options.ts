export interface TestRedisOptions {
  readonly password?: string;
  /** Further settings as on redis-server's command line, e.g. `['--maxmemory-policy', 'allkeys-lru']`. */
  readonly args?: readonly string[];
}

/** What runs the server: a local process, or a container where a docker engine answers. */
export interface RedisServer {
  start(): Promise<void>;
  stop(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}
