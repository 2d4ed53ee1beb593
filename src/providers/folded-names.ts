import { GatewayError } from '../errors.ts';
import type { JsonObject } from './dialect.ts';
import { MEMBER_NAMES, OWN_NAMES, OWN_OBJECTS } from './member-names.ts';
import { withoutCase } from '../text/without-case.ts';

/** Longer than every dialect member. Longer names are only compared with each other. */
const MAX_NAME_CHARS = 64;
/** The most of a member name that an error quotes. */
const MAX_SHOWN_CHARS = 30;

const SPELLINGS: ReadonlyMap<string, string> = new Map(
  [...MEMBER_NAMES].map((name) => [withoutCase(name), name]),
);

/**
 * Refuses names that a case-insensitive parser (Go's `encoding/json`) reads as other names: a dialect's member in another
 * letter case, or two members of one object that differ only in case. Checks every level except below client-defined
 * names (schemas, arguments, metadata). Takes linear time, with one look-up per plain name.
 * @throws GatewayError invalid_request
 */
export function refuseFoldedNames(body: JsonObject): void {
  checkObject(body, true);
}

/** Recursion is bounded by the parser's nesting limit. */
function check(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    checkObject(value as JsonObject, false);
    return;
  }
  for (let index = 0; index < value.length; index += 1) {
    const item: unknown = value[index];
    if (typeof item === 'object') check(item);
  }
}

function checkObject(object: JsonObject, isBody: boolean): void {
  let mayFold = false;
  for (const name in object) {
    if (!MEMBER_NAMES.has(name)) {
      mayFold ||= !isPlainName(name);
      refuseOtherSpelling(name);
    }
    const value = object[name];
    if (typeof value === 'object' && value !== null && !isClientsOwn(name, value, isBody)) check(value);
  }
  if (mayFold) refuseTwins(object);
}

/** The body's own members belong to the dialect, whatever their names. */
function isClientsOwn(name: string, value: object, isBody: boolean): boolean {
  if (isBody) return OWN_AT_ROOT.has(name);
  return OWN_NAMES.has(name) || (OWN_OBJECTS.has(name) && !Array.isArray(value));
}

const DIALECTS_AT_ROOT: ReadonlySet<string> = new Set(['parameters', 'arguments', 'args', 'outputs']);
const OWN_AT_ROOT: ReadonlySet<string> = new Set(
  [...OWN_NAMES].filter((name) => !DIALECTS_AT_ROOT.has(name)),
);

const PLAIN = /^[a-z0-9_$.-]*$/;

/** Case folding leaves such a name unchanged. */
function isPlainName(name: string): boolean {
  return PLAIN.test(name);
}

function refuseOtherSpelling(name: string): void {
  if (name.length > MAX_NAME_CHARS || (isPlainName(name) && !SPELLINGS.has(name))) return;
  const known = SPELLINGS.get(withoutCase(name));
  if (known === undefined || known === name) return;
  throw refusal(`Write "${known}" in the request exactly like this: some providers ignore letter case.`);
}

function refuseTwins(object: JsonObject): void {
  const seen = new Set<string>();
  for (const name in object) {
    const fold = withoutCase(name);
    if (seen.has(fold)) {
      const shown = name.length > MAX_SHOWN_CHARS ? '…' : JSON.stringify(name);
      throw refusal(`The request has two members that differ only in letter case: ${shown}. Keep one.`);
    }
    seen.add(fold);
  }
}

function refusal(message: string): GatewayError {
  return new GatewayError('invalid_request', message);
}
