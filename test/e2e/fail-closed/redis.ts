import { setTimeout as delay } from 'node:timers/promises';
import { it, expect, describe } from 'vitest';
import type { TestRedis } from '../../support/redis.ts';
import type { LinkFault } from '../../support/redis-link.ts';
import {
  askHeld,
  askHeldStream,
  type Rig,
  newClient,
  type Client,
  expectRefusal,
  ANSWERED_MS,
  expectTrafficBack,
  expectChargedExactly,
  useRig,
} from './rig.ts';

interface Outage {
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
}

/** Ends the fault: forwarded requests are charged exactly, and traffic recovers by itself. */
async function endOf(outage: Outage, client: Client): Promise<void> {
  await outage.end();
  await expectChargedExactly(client);
  await expectTrafficBack(client);
}

export function redisAway(): void {
  let rig: Rig;
  useRig((started) => (rig = started));

  /** A crash, and a Redis that has kept its data, as with an append-only file. */
  const stopped = {
    begin: async (): Promise<void> => {
      saved = await dump(rig.redis);
      await rig.redis.stop();
    },
    end: async (): Promise<void> => {
      rig.link.cut(); // no client may see it empty
      await rig.redis.start();
      for (const { key, ttlMs, bytes } of saved) await rig.redis.client.restore(key, ttlMs, bytes);
      rig.link.heal();
    },
  };
  let saved: Awaited<ReturnType<typeof dump>> = [];
  const unreachable = {
    begin: () => Promise.resolve(rig.link.cut()),
    end: () => Promise.resolve(rig.link.heal()),
  };
  /** Replies arrive at four bytes a second; connections of that time stay slow for good. */
  const dripping = {
    begin: () => Promise.resolve(rig.link.drip(4)),
    end: () => Promise.resolve(rig.link.heal()),
  };
  const frozen = { begin: () => rig.redis.pause(), end: () => rig.redis.resume() };
  const setting = (name: string, bad: string, good: string) => ({
    begin: () => rig.redis.configSet(name, bad),
    end: () => rig.redis.configSet(name, good),
  });
  const command = (...args: string[]) => rig.redis.client.call(args[0] ?? '', args.slice(1));

  const ALL_GONE: readonly (readonly [string, Outage])[] = [
    ['stopped', stopped],
    ['unreachable', unreachable],
    ['frozen', frozen],
    ['dripping', dripping],
    [
      'behind a new password',
      {
        begin: async () => {
          await rig.redis.configSet('requirepass', 'changed');
          await command('CLIENT', 'KILL', 'TYPE', 'normal'); // except this one
        },
        end: () => rig.redis.configSet('requirepass', ''),
      },
    ],
  ];
  const NOT_WRITABLE: readonly (readonly [string, Outage])[] = [
    [
      'a replica',
      {
        begin: () => command('REPLICAOF', '127.0.0.1', '1'),
        end: () => command('REPLICAOF', 'NO', 'ONE'),
      },
    ],
    ['short of replicas', setting('min-replicas-to-write', '1', '0')],
    ['full', setting('maxmemory', '1', '0')],
    [
      'closed to scripts by an ACL',
      {
        begin: () => command('ACL', 'SETUSER', 'default', '-@scripting'),
        end: () => command('ACL', 'SETUSER', 'default', '+@all'),
      },
    ],
  ];

  it.each(ALL_GONE)('that is %s: 503 to everything until it is back', async (_name, outage) => {
    const client = await newClient(rig);
    expect((await client.ask()).status).toBe(200);
    await outage.begin();
    const replies = await Promise.all([client.ask(), client.ask({ stream: true }), client.models()]);
    for (const reply of replies) {
      expectRefusal(reply, 'redis_unavailable');
      expect(reply.ms).toBeLessThan(ANSWERED_MS);
    }
    expect(client.forwarded()).toBe(1);
    await outage.end();
    await expectTrafficBack(client);
    await expectChargedExactly(client);
  });

  it.each(NOT_WRITABLE)('that is %s: 503 to every chargeable request', async (_name, outage) => {
    const client = await newClient(rig);
    expect((await client.ask()).status).toBe(200);
    await outage.begin();
    for (const reply of await Promise.all([client.ask(), client.ask({ stream: true })])) {
      expectRefusal(reply, 'redis_unavailable');
      expect(reply.ms).toBeLessThan(ANSWERED_MS);
    }
    expect(client.forwarded()).toBe(1);
    await outage.end();
    await expectTrafficBack(client);
    await expectChargedExactly(client);
  });

  describe.each(ALL_GONE)('that becomes %s in mid-request', (_name, outage) => {
    it('between headers and body: 503, and nothing is forwarded', async () => {
      const client = await newClient(rig);
      const { promise: bodyAfter, resolve: sendBody } = Promise.withResolvers<undefined>();
      const asked = client.ask({ bodyAfter });
      await delay(200); // the headers have passed
      await outage.begin();
      sendBody(undefined);
      expectRefusal(await asked, 'redis_unavailable');
      expect(client.forwarded()).toBe(0);
      await endOf(outage, client);
    });

    it('while the provider works: 503, and charged once it is back', async () => {
      const client = await newClient(rig);
      const { asked, answer } = await askHeld(rig, client);
      await outage.begin();
      answer();
      const reply = await asked;
      expectRefusal(reply, 'redis_unavailable');
      expect(reply.body).not.toContain('word0');
      await endOf(outage, client);
    });

    it('in mid-stream: the stream continues, and is charged once it is back', async () => {
      const client = await newClient(rig);
      const { asked, goOn } = await askHeldStream(rig, client);
      await delay(100);
      await outage.begin();
      goOn();
      const reply = await asked;
      expect([reply.status, reply.cut]).toEqual([200, false]);
      expect(reply.body).toContain('word19');
      expect(reply.body).toContain('[DONE]');
      expect(reply.body).not.toContain('x-gateway-request-cost');
      await endOf(outage, client);
    });

    it('when its client leaves before the request was forwarded: nothing is charged', async () => {
      const client = await newClient(rig);
      const { promise: bodyAfter, resolve: sendBody } = Promise.withResolvers<undefined>();
      const leaving = new AbortController();
      const asked = client.ask({ bodyAfter, signal: leaving.signal });
      await delay(200);
      await outage.begin();
      sendBody(undefined);
      await delay(50);
      leaving.abort();
      await asked;
      await delay(300); // the sidecar has noticed
      await outage.end();
      await delay(500);
      expect(client.forwarded()).toBe(0);
      await expectChargedExactly(client);
      await expectTrafficBack(client);
    });
  });

  it('that cannot be written when the answer arrives: 503, and charged later', async () => {
    const client = await newClient(rig);
    const { asked, answer } = await askHeld(rig, client);
    await command('REPLICAOF', '127.0.0.1', '1');
    answer();
    expectRefusal(await asked, 'redis_unavailable');
    await command('REPLICAOF', 'NO', 'ONE');
    await expectChargedExactly(client);
  });

  it('whose scripts are flushed at any time gets them again', async () => {
    const client = await newClient(rig);
    await rig.redis.client.script('FLUSH');
    const { asked, answer } = await askHeld(rig, client);
    await rig.redis.client.script('FLUSH');
    answer();
    expect((await asked).status).toBe(200);
    await expectChargedExactly(client);
  });

  it.each<LinkFault>(['lose command', 'lose reply', 'garbage', 'wrong shape', 'error', 'silence', 'go away'])(
    'with the fault "%s" at its n-th command: always charged once',
    async (fault) => {
      const client = await newClient(rig);
      const statuses: number[] = [];
      for (let n = 1; n <= 10; n++) {
        rig.link.breakAt(n, fault);
        for (const stream of [false, true]) {
          const reply = await client.ask({ stream });
          statuses.push(reply.status);
          if (reply.status !== 200) expectRefusal(reply, 'redis_unavailable');
        }
        rig.link.heal();
        await expectTrafficBack(client);
      }
      await expectChargedExactly(client);
      // A lost command is sent again within the deadline; a wrongly answered one is not.
      const sentAgain: readonly LinkFault[] = ['lose command', 'lose reply', 'silence'];
      if (!sentAgain.includes(fault)) expect(statuses).toContain(503);
    },
  );
}

async function dump({ client }: TestRedis): Promise<{ key: string; ttlMs: number; bytes: Buffer }[]> {
  const keys = await client.keys('*');
  return Promise.all(
    keys.map(async (key) => {
      const bytes = await client.dumpBuffer(key);
      return { key, ttlMs: Math.max(0, await client.pttl(key)), bytes: bytes ?? Buffer.alloc(0) };
    }),
  );
}
