import * as z from 'zod';
import { NEWEST_STORED_VERSION, STORED_VERSIONS } from '../../redis/stored-forms.ts';
import {
  needsRestart,
  count,
  duration,
  filePath,
  hostName,
  hostPort,
  overriddenBy,
  section,
} from '../fields.ts';

export const redis = needsRestart(
  section({
    addr: overriddenBy(
      'REDIS_ADDR',
      hostPort.default('localhost:6379').describe('`host:port` of Redis 7 or newer.'),
    ),
    password: overriddenBy('REDIS_PASSWORD', z.string().default('').describe('Redis password.')),
    db: count.max(1_000_000).default(0).describe('Database number.'),
    max_retries: count.max(100).default(3).describe('Number of retries of a failed command.'),
    dial_timeout: duration('5s').describe('Longest time to connect.'),
    read_timeout: duration('2s').describe('Longest wait for a reply; then the request gets 503.'),
    write_timeout: duration('2s').describe('Longest time to send a command.'),
    write_version: z
      .literal(STORED_VERSIONS)
      .default(NEWEST_STORED_VERSION)
      .describe(
        'Version in which data is stored. The newest version and the one before it can be read. Lower it while older gateways run on the same Redis.',
      ),
    wait_replicas: count
      .max(10)
      .default(0)
      .describe('Replicas that must confirm a lock before it counts as set. 0 does not wait.'),
    wait_timeout: duration('1s').describe('Longest wait for `wait_replicas`.'),
    tls: section({
      enabled: z.boolean().default(false).describe('Connect over TLS.'),
      ca_file: filePath
        .optional()
        .describe("PEM bundle that verifies the server's certificate, instead of the system bundle."),
      cert_file: filePath.optional().describe('PEM client certificate, if Redis requires one.'),
      key_file: filePath.optional().describe('PEM private key of `cert_file`.'),
      server_name: hostName
        .optional()
        .describe("Name in the server's certificate, if it differs from the address."),
    }).prefault({}),
    sentinel: section({
      addrs: z
        .array(hostPort)
        .default([])
        .describe('`host:port` of the sentinels. If set, they name the server, and `redis.addr` is ignored.'),
      master_name: z.string().min(1).optional().describe('Name of the master that the sentinels watch.'),
      password: z
        .string()
        .default('')
        .describe('Password of the sentinels. The servers use `redis.password`.'),
    }).prefault({}),
    cluster: section({
      addrs: z
        .array(hostPort)
        .default([])
        .describe(
          '`host:port` of some nodes of a Redis Cluster; the others are discovered. If set, `redis.addr` is ignored.',
        ),
    }).prefault({}),
  })
    .prefault({})
    .describe('A single Redis, Sentinel or Cluster, whichever has addresses. See docs/redis.md.'),
);
