import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

import { freePort } from './ports.ts';
import { dataArgs, startRedisNode, until, type RedisNode } from './redis-node.ts';

/** The slot of a key as the client library computes it; the package has no types. */
export const slotOf = createRequire(import.meta.url)('cluster-key-slot') as (key: string) => number;

const SLOTS = 16_384;
const MASTERS = 3;

/** Three masters, and a replica of the first. */
export interface TestCluster {
  readonly masters: readonly RedisNode[];
  readonly replica: RedisNode;
  /** As in `redis.cluster.addrs`. */
  readonly addrs: readonly string[];
  /** The master of a key at the start. */
  ownerOf(key: string): number;
  /** Resolves once every running server agrees that all slots are served. */
  waitUntilServing(): Promise<void>;
  close(): Promise<void>;
}

/** @param nodeTimeoutMs after which the others take a server for dead, and promote its replica */
export async function startTestCluster(nodeTimeoutMs = 1_000): Promise<TestCluster> {
  const nodes: RedisNode[] = [];
  async function close(): Promise<void> {
    await Promise.all(nodes.map((node) => node.close()));
  }
  try {
    for (let index = 0; index <= MASTERS; index++) nodes.push(await startNode(nodeTimeoutMs));
    const [replica, ...masters] = nodes.toReversed();
    if (replica === undefined) throw new Error('no server was started');
    masters.reverse();
    await join(masters, replica);
    const waitUntilServing = (): Promise<void> =>
      until(async () => (await Promise.all(nodes.map(serves))).every((it) => it), 'all slots are served');
    await waitUntilServing();
    await announce(masters, replica);
    return {
      masters,
      replica,
      addrs: masters.map(({ addr }) => addr),
      ownerOf: (key) => masters.findIndex((_, index) => slotOf(key) < firstSlot(index + 1)),
      waitUntilServing,
      close,
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** Works like `redis-cli --cluster reshard`, key by key, slow enough to be observed. */
export async function moveSlot(
  masters: readonly RedisNode[],
  slot: number,
  from: number,
  to: number,
): Promise<void> {
  const [source, target] = [masters[from], masters[to]];
  if (source === undefined || target === undefined) throw new Error('no such master');
  const [sourceId, targetId] = await Promise.all(
    [source, target].map(async ({ client: node }) => String(await node.cluster('MYID'))),
  );
  await target.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(sourceId));
  await source.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(targetId));
  for (;;) {
    const keys = (await source.client.call('CLUSTER', 'GETKEYSINSLOT', slot, 1)) as string[];
    const [key] = keys;
    if (key === undefined) break;
    await source.client.call('MIGRATE', '127.0.0.1', target.port, key, 0, 1_000);
    await delay(2);
  }
  for (const node of [target, source, ...masters]) {
    await node.client.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(targetId));
  }
}

function firstSlot(master: number): number {
  return Math.floor((SLOTS * master) / MASTERS);
}

async function startNode(nodeTimeoutMs: number): Promise<RedisNode> {
  const busPort = await freePort();
  return startRedisNode((port, directory) => [
    ...dataArgs(port, directory),
    ...['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'],
    ...['--cluster-port', String(busPort), '--cluster-node-timeout', String(nodeTimeoutMs)],
    // At once, however old its copy is: a test does not wait until a replica counts as good enough.
    ...['--cluster-replica-validity-factor', '0'],
  ]);
}

/** Works like `redis-cli --cluster create`. */
async function join(masters: readonly RedisNode[], replica: RedisNode): Promise<void> {
  const nodes = [...masters, replica];
  const [first] = masters;
  if (first === undefined) throw new Error('a cluster has masters');
  const myself = String(await first.client.cluster('NODES'));
  for (const [index, node] of nodes.entries()) {
    await node.client.cluster('SET-CONFIG-EPOCH', index + 1);
    if (node !== replica) {
      await node.client.cluster('ADDSLOTSRANGE', firstSlot(index), firstSlot(index + 1) - 1);
    }
    // `address:port@busport,host flags …`
    const busPort = /@(\d+)/.exec(myself)?.[1];
    if (node !== first) await node.client.call('CLUSTER', 'MEET', '127.0.0.1', first.port, String(busPort));
  }
  const id = String(await first.client.cluster('MYID'));
  await until(
    async () => (await replica.client.cluster('REPLICATE', id)) === 'OK',
    'the replica knows its master',
  );
  await until(
    async () => (await first.client.info('replication')).includes('state=online'),
    'it has the copy',
  );
}

/** Clients learn of a replica once a byte was written that it could have a copy of. */
async function announce(masters: readonly RedisNode[], replica: RedisNode): Promise<void> {
  let key = 'a';
  while (slotOf(key) >= firstSlot(1)) key += 'a';
  await masters[0]?.client.set(key, '1', 'PX', 1);
  const knows = async ({ client }: RedisNode): Promise<boolean> =>
    JSON.stringify(await client.cluster('SLOTS')).includes(`,${String(replica.port)},`);
  await until(async () => (await Promise.all(masters.map(knows))).every((it) => it), 'all know the replica');
}

async function serves({ client }: RedisNode): Promise<boolean> {
  if (client.status !== 'ready') return true;
  return String(await client.cluster('INFO')).includes('cluster_state:ok');
}
