import type { Cluster, Redis } from 'ioredis';
import { NEWEST_STORED_VERSION, type StoredVersion } from './stored-forms.ts';

/** `redis.write_version` of connections that have one. */
const versions = new WeakMap<Redis | Cluster, StoredVersion>();

export function setWriteVersion(client: Redis | Cluster, version: StoredVersion): void {
  versions.set(client, version);
}

export function writeVersionOf(client: Redis | Cluster): StoredVersion {
  return versions.get(client) ?? NEWEST_STORED_VERSION;
}
