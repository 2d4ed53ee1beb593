export interface TestRedisOptions {
  readonly password?: string;
  /** Further settings as on redis-server's command line, e.g. `['--maxmemory-policy', 'allkeys-lru']`. */
  readonly args?: readonly string[];
}

/** How the server runs: as a local process, or in a container if a Docker engine is available. */
export interface RedisServer {
  start(): Promise<void>;
  stop(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}
