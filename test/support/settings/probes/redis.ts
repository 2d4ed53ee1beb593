import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { Cluster, type Redis } from 'ioredis';

import { createKeyStore } from '../../../../src/auth/key-store.ts';
import { connectRedis } from '../../../../src/redis/client.ts';
import { keyRecordKey } from '../../../../src/redis/keys.ts';
import { createTestCa } from '../../certs.ts';
import { asks, outcome, says } from '../asking.ts';
import type { Bench, Probes, See } from '../probe.ts';

const folder = mkdtempSync(join(tmpdir(), 'settings-redis-'));
process.once('exit', () => {
  rmSync(folder, { recursive: true, force: true });
});

const ca = await createTestCa();
const { cert, key } = await ca.issue('settings');
ca.close();

/** Writes a file and returns its path. */
function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Observes the client's options for this configuration. */
function client(pick: (client: Redis) => unknown): See {
  return ({ config }) => {
    const made = connectRedis(config.redis, { name: 'settings' });
    try {
      if (made instanceof Cluster) throw new Error('a client of one server was expected');
      return Promise.resolve(pick(made));
    } finally {
      made.disconnect();
    }
  };
}

function tls(pick: (options: ConnectionOptions) => unknown): See {
  return client(({ options }) => (options.tls === undefined ? undefined : pick(options.tls)));
}

const TLS = { redis: { tls: { enabled: true } } };
const SENTINEL = { redis: { sentinel: { addrs: ['127.0.0.1:1'], master_name: 'one' } } };

/** Observes whether a server that accepts no bytes ends the connection before a second is over. */
const stalledWrite: See = async ({ config, redis }) => {
  const made = connectRedis(config.redis, { name: 'settings' });
  await new Promise((resolve) => made.once('ready', resolve));
  await redis.pause();
  try {
    const ended = new Promise((resolve) => made.once('close', () => resolve('ended')));
    const late = new Promise((resolve) => setTimeout(() => resolve('waits'), 1_500));
    made.set('settings', Buffer.alloc(32 * 1_048_576)).catch(() => undefined);
    return await Promise.race([ended, late]);
  } finally {
    made.disconnect();
    await redis.resume();
  }
};

/** Observes how long an answer waits for its lock to reach a replica, in tenths of a second. */
async function lockWait(bench: Bench): Promise<number> {
  await (await bench.sidecar()).newKey();
  const started = performance.now();
  await asks(bench, { answer: says('Take AKIAIOSFODNN7QWERTYU') });
  return performance.now() - started;
}

/** Observes the version in a new key's record. */
const recordForm: See = async ({ config }) => {
  const made = connectRedis(config.redis, { name: 'settings' });
  try {
    await new Promise((resolve) => made.once('ready', resolve));
    const { record } = await createKeyStore(made).create({ name: randomUUID(), provider: 'openai' });
    return await made.hget(keyRecordKey(record.keyHash), 'form');
  } finally {
    made.disconnect();
  }
};

export const redisProbes: Probes = {
  'redis.addr': {
    values: [({ addr }: { addr: string }) => addr, '127.0.0.1:1'],
    see: outcome({}),
    expected: [200, '503 redis_unavailable'],
  },
  'redis.password': {
    values: ['the password', 'another one'],
    see: async (bench) => {
      await bench.redis.configSet('requirepass', 'the password');
      try {
        return await outcome({})(bench);
      } finally {
        await bench.redis.configSet('requirepass', '');
      }
    },
    expected: [200, '503 redis_unavailable'],
  },
  'redis.db': {
    values: [0, 1],
    see: outcome({}),
    expected: [200, '401 invalid_key'],
  },
  'redis.max_retries': {
    values: [undefined, 7],
    see: client(({ options }) => options.maxRetriesPerRequest),
    expected: [3, 7],
  },
  'redis.dial_timeout': {
    values: [undefined, '7s'],
    see: client(({ options }) => options.connectTimeout),
    expected: [5_000, 7_000],
  },
  'redis.write_timeout': {
    with: { redis: { read_timeout: '10s' } },
    values: ['0.3s', '10s'],
    see: stalledWrite,
    expected: ['ended', 'waits'],
  },
  'redis.write_version': {
    values: [undefined, 1],
    see: recordForm,
    expected: ['2', null],
  },
  'redis.wait_replicas': {
    with: { redis: { wait_timeout: '0.5s' }, server: { dlp: { enabled: true } } },
    values: [0, 1],
    see: async (bench) => (await lockWait(bench)) > 450,
    expected: [false, true],
  },
  'redis.wait_timeout': {
    with: { redis: { wait_replicas: 1 }, server: { dlp: { enabled: true } } },
    values: ['0.2s', '1.2s'],
    see: async (bench) => (await lockWait(bench)) > 1_100,
    expected: [false, true],
  },
  'redis.tls.enabled': {
    values: [false, true],
    see: tls(({ minVersion }) => minVersion),
    expected: [undefined, 'TLSv1.2'],
  },
  'redis.tls.ca_file': {
    with: TLS,
    values: [file('ca', ca.ca), file('cert-as-ca', cert)],
    see: tls((options) => String(options.ca)),
    expected: [ca.ca, cert],
  },
  'redis.tls.cert_file': {
    with: { redis: { tls: { enabled: true, key_file: file('key', key) } } },
    values: [file('cert', cert), file('chain', cert + ca.ca)],
    see: tls((options) => String(options.cert)),
    expected: [cert, cert + ca.ca],
  },
  'redis.tls.key_file': {
    with: { redis: { tls: { enabled: true, cert_file: file('cert', cert) } } },
    values: [file('key', key), file('same-key', `${key}\n`)],
    see: tls((options) => String(options.key)),
    expected: [key, `${key}\n`],
  },
  'redis.tls.server_name': {
    with: TLS,
    values: ['one.test', 'other.test'],
    see: tls(({ servername }) => servername),
    expected: ['one.test', 'other.test'],
  },
  'redis.sentinel.addrs': {
    with: { redis: { sentinel: { master_name: 'one' } } },
    values: [['127.0.0.1:1'], ['127.0.0.1:2']],
    see: client(({ options }) => options.sentinels),
    expected: [[{ host: '127.0.0.1', port: 1 }], [{ host: '127.0.0.1', port: 2 }]],
  },
  'redis.sentinel.master_name': {
    with: SENTINEL,
    values: ['one', 'other'],
    see: client(({ options }) => options.name),
    expected: ['one', 'other'],
  },
  'redis.sentinel.password': {
    with: SENTINEL,
    values: ['', 'of the sentinels'],
    see: client(({ options }) => options.sentinelPassword ?? null),
    expected: [null, 'of the sentinels'],
  },
  'redis.cluster.addrs': {
    values: [[], ['127.0.0.1:1']],
    see: ({ config }) => {
      const made = connectRedis(config.redis, { name: 'settings' });
      made.disconnect();
      return Promise.resolve(made instanceof Cluster);
    },
    expected: [false, true],
  },
};
