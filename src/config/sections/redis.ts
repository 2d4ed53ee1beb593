import * as z from 'zod';
import { count, duration, filePath, hostName, hostPort, section } from '../fields.ts';

/** A single Redis, Sentinel or Cluster: the one with addresses is used (docs/redis.md). */
export const redis = section({
  addr: hostPort.default('localhost:6379'),
  password: z.string().default(''),
  db: count.max(1_000_000).default(0),
  max_retries: count.max(100).default(3),
  dial_timeout: duration('5s'),
  read_timeout: duration('2s'),
  write_timeout: duration('2s'),
  /** Replicas that must confirm a lock before it counts; 0 waits for none. */
  wait_replicas: count.max(10).default(0),
  wait_timeout: duration('1s'),
  tls: section({
    enabled: z.boolean().default(false),
    /** Replaces the system's bundle. */
    ca_file: filePath.optional(),
    cert_file: filePath.optional(),
    key_file: filePath.optional(),
    /** Name in the server certificate, if it differs from the address. */
    server_name: hostName.optional(),
  }).prefault({}),
  sentinel: section({
    addrs: z.array(hostPort).default([]),
    master_name: z.string().min(1).optional(),
    /** Password of the sentinels; the servers use redis.password. */
    password: z.string().default(''),
  }).prefault({}),
  cluster: section({
    /** Some of the nodes; the others are discovered. */
    addrs: z.array(hostPort).default([]),
  }).prefault({}),
}).prefault({});
