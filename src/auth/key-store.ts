import * as z from 'zod';
import type { RedisClient } from '../redis/client.ts';
import { readClock } from '../redis/clock.ts';
import { KEY_INDEX, keyRecordKey } from '../redis/keys.ts';
import { loadScript } from '../redis/script.ts';
import { maskSecrets } from '../detectors/mask.ts';
import { formField, writeVersionOf } from '../redis/stored-forms.ts';
import { guarded } from '../redis/unavailable.ts';
import {
  changedFields,
  keyChangeSchema,
  newKeyFields,
  newKeySchema,
  parseKeyRecord,
  rawKeyField,
  type KeyChange,
  type NewKey,
} from './key-fields.ts';
import {
  countKeys,
  enterKey,
  leaveKey,
  orderKeys,
  PAGE_SIZE,
  pageOfHashes,
  type KeyCount,
  type KeyOrder,
} from './key-index.ts';
import {
  claimName,
  enterNames,
  holderOfName,
  namesWith,
  type KeyName,
  type NameLimits,
} from './key-names.ts';
import { isActive, type KeyRecord } from './key-record.ts';
import { createRawKey, hashKey, isProxyKey } from './raw-key.ts';

const createScript = loadScript(new URL('./create-key.lua', import.meta.url));
const revokeScript = loadScript(new URL('./revoke-key.lua', import.meta.url));
const updateScript = loadScript(new URL('./update-key.lua', import.meta.url));
const rotateScript = loadScript(new URL('./rotate-key.lua', import.meta.url));

/** Maximum number of raw keys per identity: the current one, and those in their grace period. */
const MAX_LIVE_RAW_KEYS = 8;
const MIN_PREFIX_HEX = 6;
const SHOWN_HASH_CHARS = 'sha256:'.length + 16;
/** Less than the length of a raw key. */
const MAX_REPEATED_CHARS = 40;
const HASH = /^(?:sha256:)?[0-9a-f]{1,64}$/;

/** `rawKey` is not stored. */
export interface IssuedKey {
  readonly rawKey: string;
  readonly record: KeyRecord;
}

export interface KeyPage {
  readonly keys: readonly KeyRecord[];
  readonly next: string | undefined;
}

/**
 * Manages proxy keys for operators. All functions throw `redis_unavailable` if Redis fails, KeyError if the command
 * cannot be carried out, and ZodError for invalid arguments.
 */
export interface KeyStore {
  /** @throws KeyError if an active key has the name */
  create(key: NewKey): Promise<IssuedKey>;
  /** @param order defaults to `hash` */
  list(after?: string, order?: KeyOrder, count?: number): Promise<KeyPage>;
  count(): Promise<KeyCount>;
  /**
   * Finds a key by hash, hash prefix (at least 6 hex digits), name or raw key. Active keys take precedence. Among
   * inactive keys with the same name, the newest is returned.
   */
  find(reference: string): Promise<KeyRecord>;
  /** Returns names with this prefix, including those of inactive keys, within the limits. */
  names(prefix: string, limits: NameLimits): Promise<readonly KeyName[]>;
  /** Takes effect with the next request. */
  update(reference: string, change: KeyChange): Promise<KeyRecord>;
  revoke(reference: string): Promise<KeyRecord>;
  /** Creates a new raw key for the same identity; older raw keys expire after `graceMs`. */
  rotate(reference: string, graceMs: number): Promise<IssuedKey>;
}

/** A command that cannot be carried out. The message is for the operator. */
export class KeyError extends Error {
  /** `conflict`: the state of a key does not allow the command. */
  readonly kind: 'conflict' | 'not_found';

  constructor(message: string, kind: KeyError['kind'] = 'not_found') {
    super(message);
    this.name = 'KeyError';
    this.kind = kind;
  }
}

export function createKeyStore(client: RedisClient): KeyStore {
  const records = new KeyRecords(client);
  return {
    create: command(async (key) => {
      const checked = newKeySchema.parse(key);
      const rawKey = createRawKey();
      const keyHash = hashKey(rawKey);
      await enterNames(client, records);
      await orderKeys(client);
      // The index is written first, because an entry without a record is harmless, unlike a record without an entry.
      await enterKey(client, keyHash);
      const fields = Object.entries(newKeyFields(keyHash, checked)).flat();
      const form = formField(writeVersionOf(client));
      const args = [checked.expiresInMs ?? 0, rawKeyField(keyHash), ...fields, ...form];
      await createScript.run(client, [keyRecordKey(keyHash)], args);
      const record = await records.mustRead(keyHash);
      const holder = await claimName(client, records, record);
      if (holder === undefined) return { rawKey, record };
      await client.del(keyRecordKey(keyHash));
      await leaveKey(client, keyHash);
      throw new KeyError(nameTaken(checked.name, holder), 'conflict');
    }),
    list: command((after, order, count) => records.page(after, order, count)),
    count: command(() => countKeys(client)),
    find: command((reference) => records.find(reference)),
    names: command((prefix, limits) => namesWith(client, prefix, limits)),
    update: command(async (reference, change) => {
      const { keyHash } = await records.find(reference);
      const fields = Object.entries(changedFields(keyChangeSchema.parse(change))).flat();
      await updateScript.run(client, [keyRecordKey(keyHash)], fields);
      return records.mustRead(keyHash);
    }),
    revoke: command(async (reference) => {
      const { keyHash } = await records.find(reference);
      await revokeScript.run(client, [keyRecordKey(keyHash)], []);
      return records.mustRead(keyHash);
    }),
    rotate: command(async (reference, graceMs) => {
      const { keyHash } = await records.find(reference);
      const rawKey = createRawKey();
      const rawHash = hashKey(rawKey);
      // The pointer is written first. It admits no request until the record contains the new raw key.
      await client.hset(keyRecordKey(rawHash), 'identity', keyHash);
      const reply = await rotateScript.run(
        client,
        [keyRecordKey(keyHash)],
        [rawHash, graceMs, MAX_LIVE_RAW_KEYS],
      );
      const [code = '', ...ended] = z.array(z.string()).parse(reply);
      const unused = code === 'done' ? ended.filter((hash) => hash !== keyHash) : [rawHash];
      await Promise.all(unused.map((hash) => client.del(keyRecordKey(hash))));
      if (code !== 'done')
        throw new KeyError(ROTATE_REFUSALS[code] ?? `the key cannot be rotated (${code})`, 'conflict');
      return { rawKey, record: await records.mustRead(keyHash) };
    }),
  };
}

function command<Args extends readonly unknown[], T>(
  work: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return guarded(work, (failure) => failure instanceof KeyError || failure instanceof z.ZodError);
}

const ROTATE_REFUSALS: Readonly<Record<string, string>> = {
  missing: 'the key no longer exists',
  revoked: 'the key is revoked: create a new one',
  expired: 'the key has expired: create a new one',
  too_many: `the key already has ${String(MAX_LIVE_RAW_KEYS)} raw keys: wait until one of them expires`,
};

function nameTaken(name: string, holder: string): string {
  return `an active key has the name "${name}" (${holder.slice(0, SHOWN_HASH_CHARS)}): choose another --name, or revoke that key first with gateway keys revoke ${holder.slice(0, SHOWN_HASH_CHARS)}`;
}

/** Returns the message for a reference that matches no key. Quotes the reference unless it may contain a secret. */
export function noSuchKey(reference: string): string {
  if (isProxyKey(reference)) return 'unknown raw key. See gateway keys list';
  const isPlain = reference.length <= MAX_REPEATED_CHARS && maskSecrets(reference) === reference;
  const which = isPlain || HASH.test(reference) ? `"${reference}"` : 'this';
  return `no key has ${which} as its name or as the start of its hash (6 hex digits or more). See gateway keys list`;
}

class KeyRecords {
  readonly #client: RedisClient;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  async page(after: string | undefined, order: KeyOrder = 'hash', count = PAGE_SIZE): Promise<KeyPage> {
    const { hashes, next } = await pageOfHashes(this.#client, order, after, count);
    const read = await Promise.all(hashes.map((hash) => this.read(hash)));
    return { keys: read.filter((record) => record !== undefined), next };
  }

  async mustRead(keyHash: string): Promise<KeyRecord> {
    const record = await this.read(keyHash);
    if (record === undefined) throw new KeyError('the key no longer exists');
    return record;
  }

  async find(reference: string): Promise<KeyRecord> {
    const found = isProxyKey(reference)
      ? await this.#byRawHash(hashKey(reference))
      : /^sha256:[0-9a-f]{64}$/.test(reference)
        ? await this.#byRawHash(reference)
        : await this.#byNameOrPrefix(reference);
    const matches = found.length > 1 ? await this.#preferred(found, reference) : found;
    const [match, other] = matches;
    if (match === undefined) throw new KeyError(noSuchKey(reference));
    if (other !== undefined) {
      const some = matches
        .slice(0, 5)
        .map(({ keyHash, name }) => `${keyHash.slice(0, SHOWN_HASH_CHARS)} (${name})`);
      throw new KeyError(`several keys match "${reference}": ${some.join(', ')}. Use more of the hash`);
    }
    return match;
  }

  async #preferred(found: readonly KeyRecord[], reference: string): Promise<readonly KeyRecord[]> {
    const now = await readClock(this.#client);
    const active = found.filter((record) => isActive(record, now));
    if (active.length > 0 || found.some(({ name }) => name !== reference)) {
      return active.length > 0 ? active : found;
    }
    return found.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, 1);
  }

  async #byRawHash(rawHash: string): Promise<KeyRecord[]> {
    const identity = await this.#client.hget(keyRecordKey(rawHash), 'identity');
    const record = await this.read(identity ?? rawHash);
    return record === undefined ? [] : [record];
  }

  async #byNameOrPrefix(reference: string): Promise<KeyRecord[]> {
    const hex = reference.replace(/^sha256:/, '').toLowerCase();
    const isPrefix = hex.length >= MIN_PREFIX_HEX && /^[0-9a-f]{1,64}$/.test(hex);
    const found = new Map<string, KeyRecord>();
    if (isPrefix) {
      const start = `sha256:${hex}`;
      const hashes = await this.#client.zrangebylex(KEY_INDEX, `[${start}`, `[${start}g`, 'LIMIT', 0, 6);
      for (const record of await Promise.all(hashes.map((hash) => this.read(hash)))) {
        if (record) found.set(record.keyHash, record);
      }
    }
    for (const record of await this.#named(reference)) found.set(record.keyHash, record);
    return [...found.values()];
  }

  /** Reads all records only if the name index is not sufficient. */
  async #named(name: string): Promise<KeyRecord[]> {
    const holder = await holderOfName(this.#client, name);
    if (holder === null) return [];
    const found: KeyRecord[] = [];
    if (holder === undefined) {
      for await (const record of this.all()) if (record.name === name) found.push(record);
    } else {
      const record = await this.read(holder);
      if (record?.name === name) found.push(record);
    }
    return found;
  }

  async *all(): AsyncGenerator<KeyRecord> {
    let after: string | undefined;
    do {
      const page = await this.page(after);
      yield* page.keys;
      after = page.next;
    } while (after !== undefined);
  }

  async read(keyHash: string): Promise<KeyRecord | undefined> {
    const fields = await this.#client.hgetall(keyRecordKey(keyHash));
    return fields['key_hash'] === undefined ? undefined : parseKeyRecord(fields);
  }
}
