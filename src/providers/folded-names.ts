import { GatewayError } from '../errors.ts';
import type { JsonObject } from './provider.ts';
import { MEMBER_NAMES, OWN_NAMES, OWN_OBJECTS } from './member-names.ts';

/** No member of a dialect has so long a name; longer ones are compared with each other alone. */
const MAX_NAME_CHARS = 64;
/** Of an object's members that an error names. */
const MAX_SHOWN_CHARS = 30;

const SPELLINGS: ReadonlyMap<string, string> = new Map([...MEMBER_NAMES].map((name) => [folded(name), name]));

/**
 * Refuses names that a parser which folds case reads as others (Go's `encoding/json`): one that is a dialect's but for
 * its letters' case, and two of one object that differ in nothing else. At every level but under names that are the
 * client's own (schemas, arguments, metadata). Linear, and a look-up for each plain name.
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

/** The body's own members are the dialect's, whatever they are called. */
function isClientsOwn(name: string, value: object, isBody: boolean): boolean {
  if (isBody) return OWN_AT_ROOT.has(name);
  return OWN_NAMES.has(name) || (OWN_OBJECTS.has(name) && !Array.isArray(value));
}

const DIALECTS_AT_ROOT: ReadonlySet<string> = new Set(['parameters', 'arguments', 'args', 'outputs']);
const OWN_AT_ROOT: ReadonlySet<string> = new Set(
  [...OWN_NAMES].filter((name) => !DIALECTS_AT_ROOT.has(name)),
);

const PLAIN = /^[a-z0-9_$.-]*$/;

/** Folding leaves it as it is. */
function isPlainName(name: string): boolean {
  return PLAIN.test(name);
}

/** Upper-casing first folds what lower-casing alone leaves apart, such as the long s. */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase();
}

function refuseOtherSpelling(name: string): void {
  if (name.length > MAX_NAME_CHARS || (isPlainName(name) && !SPELLINGS.has(name))) return;
  const known = SPELLINGS.get(folded(name));
  if (known === undefined || known === name) return;
  throw refusal(
    `Write the request's "${known}" in just these letters: some providers take other cases for it.`,
  );
}

function refuseTwins(object: JsonObject): void {
  const seen = new Set<string>();
  for (const name in object) {
    const fold = folded(name);
    if (seen.has(fold)) {
      const shown = name.length > MAX_SHOWN_CHARS ? '…' : JSON.stringify(name);
      throw refusal(`The request names the member ${shown} twice but for its letters' case: keep one.`);
    }
    seen.add(fold);
  }
}

function refusal(message: string): GatewayError {
  return new GatewayError('invalid_request', message);
}
