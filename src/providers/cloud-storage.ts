import { isObject, type JsonObject } from '../json/is-object.ts';
import type { ObjectNames } from './descriptor.ts';

/** Members with the address of a file: `fileUri`, `uris`, `s3Uri`, and `uri` of Bedrock's `s3Location`. */
const ADDRESS_NAME = /(?:^u|[a-z0-9]U|_u)ris?$/;
/** URL schemes of cloud storage, which providers open with the rights of the account. */
const STORAGE = /^\s*(?:s3[an]?|gs|gcs|bq|az|abfss?|wasbs?|adl|azureml|dbfs|hdfs|r2|oci|oss|cosn?):\/\//i;
const WEB: ReadonlySet<string> = new Set(['http:', 'https:', 'data:']);

export function isAddressName(name: string): boolean {
  return ADDRESS_NAME.test(name);
}

/** Reports whether an address leads to storage. All addresses except web addresses do, such as Google's `files/abc`. */
export function isStorageAddress(value: string, names: ObjectNames): boolean {
  if (!URL.canParse(value)) return true;
  const { protocol, hostname } = new URL(value);
  return !WEB.has(protocol) || isStorageHost(hostname, names);
}

/** Same as `isStorageAddress`, for values under any member name, which must look like an address. */
export function looksLikeStorage(value: string, names: ObjectNames): boolean {
  if (STORAGE.test(value)) return true;
  return /^\s*https?:/i.test(value) && URL.canParse(value) && isStorageHost(new URL(value).hostname, names);
}

function isStorageHost(hostname: string, { storage = [] }: ObjectNames): boolean {
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return storage.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/** Escapes and dot segments, by which an address below a shared folder could lead out of it. */
const EVASIVE = /[\\\t\r\n]|%(?:2e|2f|5c)|(?:^|\/)\.{1,2}(?:[/?#]|$)/i;

/** Reports whether all readers interpret the address as it is written, so that globs may be compared with it. */
export function isPlainAddress(id: string): boolean {
  return !id.includes('://') || !EVASIVE.test(id);
}

/** Types of credentials for an Azure search index that are in the request itself. */
const CLIENTS_OWN: ReadonlySet<unknown> = new Set([
  ...['api_key', 'key_and_key_id', 'encoded_api_key', 'connection_string', 'username_and_password'],
  'access_token',
]);

/** Returns the index in Azure's `data_sources`, as `<endpoint>/<index>`, if the account's identity opens it. */
export function searchIndexOf({ type, parameters }: JsonObject): string | undefined {
  const { endpoint, index_name: index, authentication } = isObject(parameters) ? parameters : {};
  if (isObject(authentication) && CLIENTS_OWN.has(authentication.type)) return undefined;
  const named = [endpoint, index].filter((part) => typeof part === 'string');
  return named.length === 0 ? String(type) : named.join('/').replace(/([^:/])\/{2,3}/, '$1/');
}
