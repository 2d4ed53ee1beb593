import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { GenericContainer, type StartedTestContainer } from 'testcontainers';

import { REDIS_IMAGE } from '../../src/runtime/redis-server.ts';
import type { RedisServer, TestRedisOptions } from './redis-options.ts';

const docker = (...args: string[]): Promise<unknown> => promisify(execFile)('docker', args);

/** Redis from its official image, on a fixed loopback port, for machines with a docker engine. */
export function containerRedis(port: number, options: TestRedisOptions): RedisServer {
  const password = options.password === undefined ? [] : ['--requirepass', options.password];
  const fixed = ['--save', '', '--maxmemory-policy', 'noeviction', '--enable-debug-command', 'yes'];
  let container: StartedTestContainer | undefined;
  let paused = false;
  return {
    start: async () => {
      container ??= await new GenericContainer(REDIS_IMAGE)
        .withExposedPorts({ container: 6379, host: port })
        .withCommand(['redis-server', ...fixed, ...password, ...(options.args ?? [])])
        .start();
    },
    stop: async () => {
      const last = container;
      container = undefined;
      await last?.stop({ timeout: 0 });
    },
    pause: async () => {
      if (container === undefined) return;
      await docker('pause', container.getId());
      paused = true;
    },
    resume: async () => {
      if (container === undefined || !paused) return;
      await docker('unpause', container.getId());
      paused = false;
    },
    close: () => Promise.resolve(),
  };
}
