import * as z from 'zod';
import { count, duration, filePath, hostName, hostPort, section } from '../fields.ts';

/** One Redis, or Sentinel, or Cluster: whichever has addresses (docs/redis.md). */
export const redis = section({
  addr: hostPort.default('localhost:6379'),
  password: z.string().default(''),
  db: count.max(1_000_000).default(0),
  max_retries: count.max(100).default(3),
  dial_timeout: duration('5s'),
  read_timeout: duration('2s'),
  write_timeout: duration('2s'),
  /** A lock is only taken for set once so many replicas have it; 0 waits for none. */
  wait_replicas: count.max(10).default(0),
  wait_timeout: duration('1s'),
  tls: section({
    enabled: z.boolean().default(false),
    /** Instead of the system's bundle. */
    ca_file: filePath.optional(),
    cert_file: filePath.optional(),
    key_file: filePath.optional(),
    /** The name in the server's certificate, where it is not the address. */
    server_name: hostName.optional(),
  }).prefault({}),
  sentinel: section({
    addrs: z.array(hostPort).default([]),
    master_name: z.string().min(1).optional(),
    /** Of the sentinels; the servers' own is redis.password. */
    password: z.string().default(''),
  }).prefault({}),
  cluster: section({
    /** Some of its nodes; the others are discovered. */
    addrs: z.array(hostPort).default([]),
  }).prefault({}),
}).prefault({});
