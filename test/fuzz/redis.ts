import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../src/runtime/redis-process.ts';
import { findRedisServer } from '../../src/runtime/redis-server.ts';

/** A Redis for one surface. */
export async function startFuzzRedis(): Promise<{ readonly addr: string; close(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'gw-fuzz-'));
  const redis = await startRedis({ program: await findRedisServer(process.env), directory });
  return {
    addr: `127.0.0.1:${String(redis.port)}`,
    async close() {
      await redis.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
