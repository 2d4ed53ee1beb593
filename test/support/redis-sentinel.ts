import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { dataArgs, startRedisNode, until, type RedisNode } from './redis-node.ts';

const NAME = 'gateway-test';
const SENTINELS = 3;
const QUORUM = 2;

/** A master and its replica, watched by three sentinels. */
export interface TestSentinel {
  readonly master: RedisNode;
  readonly replica: RedisNode;
  /** As in `redis.sentinel.addrs`. */
  readonly addrs: readonly string[];
  /** As in `redis.sentinel.master_name`. */
  readonly masterName: string;
  close(): Promise<void>;
}

/** @param downAfterMs of silence after which a sentinel takes the master for dead */
export async function startTestSentinel(downAfterMs = 1_000): Promise<TestSentinel> {
  const nodes: RedisNode[] = [];
  async function started(args: Parameters<typeof startRedisNode>[0]): Promise<RedisNode> {
    const node = await startRedisNode(args);
    nodes.push(node);
    return node;
  }
  async function close(): Promise<void> {
    await Promise.all(nodes.map((node) => node.close()));
  }
  try {
    const master = await started(dataArgs);
    const replica = await started((port, directory) => [
      ...dataArgs(port, directory),
      ...['--replicaof', '127.0.0.1', String(master.port)],
    ]);
    await until(
      async () => (await master.client.info('replication')).includes('state=online'),
      'it has the copy',
    );
    const sentinels: RedisNode[] = [];
    for (let index = 0; index < SENTINELS; index++) {
      sentinels.push(await started((port, folder) => sentinelArgs(port, folder, master.port, downAfterMs)));
    }
    await until(async () => (await Promise.all(sentinels.map(isReady))).every((it) => it), 'they agree');
    return { master, replica, addrs: sentinels.map(({ addr }) => addr), masterName: NAME, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** A sentinel stores what it learns in its own configuration file. */
async function sentinelArgs(
  port: number,
  directory: string,
  masterPort: number,
  downAfterMs: number,
): Promise<readonly string[]> {
  const file = join(directory, 'sentinel.conf');
  await writeFile(
    file,
    [
      `port ${String(port)}`,
      'bind 127.0.0.1',
      `dir ${directory}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${String(masterPort)} ${String(QUORUM)}`,
      `sentinel down-after-milliseconds ${NAME} ${String(downAfterMs)}`,
      `sentinel failover-timeout ${NAME} 5000`,
      '',
    ].join('\n'),
  );
  return [file, '--sentinel'];
}

async function isReady({ client }: RedisNode): Promise<boolean> {
  const reply = (await client.call('SENTINEL', 'MASTER', NAME)) as string[];
  const field = (name: string): string | undefined => reply[reply.indexOf(name) + 1];
  return field('num-slaves') === '1' && field('num-other-sentinels') === String(SENTINELS - 1);
}
