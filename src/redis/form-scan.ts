import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './client.ts';
import { isReadable, STORED_FORMS, type StoredForm } from './stored-forms.ts';

export interface FormScan {
  readonly scanned: number;
  /** False if some keys were not scanned. */
  readonly isWhole: boolean;
  readonly unknown: readonly (UnknownValue & { readonly count: number })[];
}

interface UnknownValue {
  readonly form: StoredForm;
  readonly version: string;
}

const MAX_SCANNED = 20_000;
const PAGE = 1_000;

/** Scans about `MAX_SCANNED` keys per server for values with an unknown stored version. */
export async function scanForms(client: RedisClient): Promise<FormScan> {
  const counts = new Map<string, UnknownValue & { readonly count: number }>();
  let scanned = 0;
  let isWhole = true;
  for (const server of client instanceof Cluster ? client.nodes('master') : [client]) {
    let cursor = '0';
    let scannedHere = 0;
    do {
      const [next, keys] = await server.scan(cursor, 'MATCH', 'gateway:*', 'COUNT', PAGE);
      cursor = next;
      scannedHere += keys.length;
      for (const found of await Promise.all(keys.map((key) => unknownAt(server, key)))) {
        if (found === undefined) continue;
        const name = `${found.form} ${found.version}`;
        const count = (counts.get(name)?.count ?? 0) + 1;
        counts.set(name, { ...found, count });
      }
    } while (cursor !== '0' && scannedHere < MAX_SCANNED);
    scanned += scannedHere;
    isWhole &&= cursor === '0';
  }
  return { scanned, isWhole, unknown: [...counts.values()] };
}

async function unknownAt(server: Redis, key: string): Promise<UnknownValue | undefined> {
  const form = formOf(key);
  if (form === undefined) return undefined;
  const stored = STORED_FORMS[form];
  if ('field' in stored) {
    const version = await server.hget(key, stored.field).catch(otherType);
    return isReadable(version) ? undefined : { form, version: version ?? '' };
  }
  // Sets with the same prefix, and expired values, have no first byte.
  const [byte] = (await server.getrangeBuffer(key, 0, 0).catch(otherType)) ?? [];
  if (byte === undefined || byte === stored.byte) return undefined;
  return { form, version: form === 'calls' ? String.fromCharCode(byte) : String(byte) };
}

/** Returns null for keys of another type, which some prefixes also have. */
function otherType(failure: unknown): null {
  if (failure instanceof Error && failure.message.startsWith('WRONGTYPE')) return null;
  throw failure;
}

function formOf(key: string): StoredForm | undefined {
  for (const form of Object.keys(STORED_FORMS) as StoredForm[]) {
    const { begin, ...more } = STORED_FORMS[form];
    if (key.startsWith(begin) && (!('end' in more) || key.endsWith(more.end))) return form;
  }
  return undefined;
}
