import type { RedisClient } from './client.ts';
import { NEWEST_STORED_VERSION, type StoredVersion } from './stored-forms.ts';

/** `redis.write_version` of the connections that have one. */
const versions = new WeakMap<RedisClient, StoredVersion>();

export function setWriteVersion(client: RedisClient, version: StoredVersion): void {
  versions.set(client, version);
}

/** The version of the stored forms that is written over a connection. */
export function writeVersionOf(client: RedisClient): StoredVersion {
  return versions.get(client) ?? NEWEST_STORED_VERSION;
}
