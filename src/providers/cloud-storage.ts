import { isObject, type JsonObject } from '../json/is-object.ts';
import type { ObjectNames } from './descriptor.ts';

/** Matches names of members that contain file URIs: `fileUri`, `uris`, `s3Uri`, and `uri` in Bedrock's `s3Location`. */
const ADDRESS_NAME = /(?:^u|[a-z0-9]U|_u)ris?$/;
/** Matches URL schemes of cloud storage, which providers open with the account's permissions. */
const STORAGE = /^\s*(?:s3[an]?|gs|gcs|bq|az|abfss?|wasbs?|adl|azureml|dbfs|hdfs|r2|oci|oss|cosn?):\/\//i;
const WEB: ReadonlySet<string> = new Set(['http:', 'https:', 'data:']);

export function isAddressName(name: string): boolean {
  return ADDRESS_NAME.test(name);
}

/**
 * Returns true for all URIs (Google's `files/abc`) except `data:` URLs and web URLs outside the provider's storage
 * domains.
 */
export function isStorageAddress(value: string, names: ObjectNames): boolean {
  if (!URL.canParse(value)) return true;
  const { protocol, hostname } = new URL(value);
  return !WEB.has(protocol) || isStorageHost(hostname, names);
}

/** Like `isStorageAddress`, but for values of any member, which must look like a storage URL. */
export function looksLikeStorage(value: string, names: ObjectNames): boolean {
  if (STORAGE.test(value)) return true;
  return /^\s*https?:/i.test(value) && URL.canParse(value) && isStorageHost(new URL(value).hostname, names);
}

function isStorageHost(hostname: string, { storage = [] }: ObjectNames): boolean {
  const host = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return storage.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

/**
 * Matches backslashes, tabs, line breaks, dot segments, and encoded dots, slashes and backslashes, which could lead out
 * of a shared folder.
 */
const EVASIVE = /[\\\t\r\n]|%(?:2e|2f|5c)|(?:^|\/)\.{1,2}(?:[/?#]|$)/i;

/** Reports whether all parsers read the URI as written, so that it may be matched against globs. */
export function isPlainAddress(id: string): boolean {
  return !id.includes('://') || !EVASIVE.test(id);
}

/** Azure search authentication types with a secret in the request itself. */
const CLIENTS_OWN: ReadonlySet<unknown> = new Set([
  ...['api_key', 'key_and_key_id', 'encoded_api_key', 'connection_string', 'username_and_password'],
  'access_token',
]);

/**
 * Returns an Azure data source as `<endpoint>/<index>`, or as its type if both are missing. Returns undefined if the
 * request contains the credential.
 */
export function searchIndexOf({ type, parameters }: JsonObject): string | undefined {
  const { endpoint, index_name: index, authentication } = isObject(parameters) ? parameters : {};
  if (isObject(authentication) && CLIENTS_OWN.has(authentication.type)) return undefined;
  const named = [endpoint, index].filter((part) => typeof part === 'string');
  return named.length === 0 ? String(type) : named.join('/').replace(/([^:/])\/{2,3}/, '$1/');
}
