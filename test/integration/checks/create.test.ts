import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { toolCall } from '../../support/mcp-exchange.ts';
import { startTestRedis, type TestRedis } from '../../support/redis.ts';
import { makeSecret, seededRandom } from '../../unit/detectors/secrets/samples.ts';
import { startRig, type Rig } from './each-check/rig.ts';

let redis: TestRedis;
const rigs: Rig[] = [];

beforeAll(async () => {
  redis = await startTestRedis();
});
afterAll(async () => {
  for (const rig of rigs) await rig.close();
  await redis.close();
});

async function started(config: ConfigInput): Promise<Rig> {
  const rig = await startRig(redis.addr, config);
  rigs.push(rig);
  return rig;
}

const LEAK = {
  model: 'm',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      message: { role: 'assistant', content: `it is ${makeSecret('github_token', seededRandom(2)).secret}` },
    },
  ],
};
const QUARANTINING = { dlp: { enabled: true, action: 'quarantine' } } as const;

it('redis.wait_replicas is what a lock waits for', async () => {
  for (const [wait_replicas, told] of [
    [0, []],
    // Without a replica that has it, the lock may be lost, and the denial stands.
    [1, [expect.stringContaining('dlp: ') as string]],
  ] as const) {
    const rig = await started({ server: QUARANTINING, redis: { wait_replicas, wait_timeout: '200ms' } });
    const asked = await rig.chat('what is the token?');
    expect((await rig.whole(asked, LEAK)).denial).toBeDefined();
    expect(rig.failures).toEqual(told);
  }
});

describe('redis.read_timeout and half a second are the longest wait for Redis', () => {
  /** A script that Redis has dropped takes two replies: each arrives in time, both together do not. */
  const refused = { type: 'redis_unavailable' };
  let slow: Awaited<ReturnType<typeof slowLink>>;
  let rig: Rig;
  beforeAll(async () => {
    slow = await slowLink(redis.port, 850);
    rig = await started({ server: QUARANTINING, redis: { addr: slow.addr, read_timeout: '1s' } });
  });
  afterAll(() => slow.close());

  async function slowly<Result>(work: () => Promise<Result>): Promise<Result> {
    await redis.client.script('FLUSH');
    slow.setSlow(true);
    try {
      return await work();
    } finally {
      slow.setSlow(false);
    }
  }

  it('of a phase', async () => {
    await expect(slowly(() => rig.chat('hi'))).rejects.toMatchObject(refused);
  });

  it('of scoring', async () => {
    const asked = await rig.chat('what is the token?');
    rig.failures.length = 0;
    expect((await slowly(() => rig.whole(asked, LEAK))).denial).toBeDefined();
    expect(rig.failures).toEqual([expect.stringContaining('Redis is unavailable')]);
  });

  it('of counting calls', async () => {
    const asked = await rig.mcp(toolCall('read'));
    await expect(slowly(() => rig.whole(asked, {}, 500))).rejects.toMatchObject(refused);
  });
});

/** A connection to Redis whose replies can be delayed. */
async function slowLink(port: number, delayMs: number) {
  let isSlow = false;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream);
    // In order, even if the connection has become fast meanwhile.
    let before = Promise.resolve();
    upstream.on('data', (reply) => {
      const due = sleep(isSlow ? delayMs : 0);
      before = Promise.all([before, due]).then(() => void client.write(reply));
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    addr: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    setSlow(now: boolean) {
      isSlow = now;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
