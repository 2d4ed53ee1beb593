import type { McpConfig } from '../../config/sections/mcp.ts';
import { createKnownValues, type KnownValues } from '../../detectors/known-values/known-values.ts';
import { SERVER_CREDENTIAL_RULE } from '../../detectors/tool-rules.ts';
import { hasLettersAndDigits, isOpaqueSegment } from '../../text/opaque-segment.ts';

type Server = McpConfig['servers'][number];

/** Returns a server's configured credentials, which its answers must not show to clients. */
export type CredentialsOf = (server: string) => KnownValues;

export function createCredentialsOf(servers: readonly Server[]): CredentialsOf {
  const known = new Map(servers.map((server) => [server.name, createServerCredentials(server)]));
  return (server) => known.get(server) ?? NO_CREDENTIALS;
}

const LABEL = { detector: 'secrets', class: 'secret', rule: SERVER_CREDENTIAL_RULE } as const;

export const NO_CREDENTIALS = createKnownValues([], LABEL);

/** Returns the credentials in a server's `headers` and `url` that must not be shown. */
export function createServerCredentials(
  server: Pick<Server, 'headers' | 'url'> & Partial<Pick<Server, 'public'>>,
): KnownValues {
  const values = configuredValues({ public: [], ...server });
  return createKnownValues(
    values.flatMap(({ guarded }) => guarded),
    LABEL,
  );
}

/** Reports whether a server may show its credentials (`suppress`). */
export function isTrusted({ suppress }: Pick<Server, 'suppress'>): boolean {
  return suppress.includes('secrets') || suppress.includes(SERVER_CREDENTIAL_RULE);
}

export interface ConfiguredValue {
  /** Location in the configuration: header, parameter or path segment number. Never contains the value. */
  readonly name: string;
  /** `public`: declared by the operator not to be a credential. `short`: would match ordinary text. */
  readonly kind: 'guarded' | 'public' | 'short';
  /** Texts that must not be shown: the value, and the credentials in it. */
  readonly guarded: readonly string[];
}

/** Shorter values match ordinary text. */
const LEAST_CHARS = 8;
/** Minimum length of parts that do not mix letters and digits, except after a SCHEME. */
const LEAST_WORDY_CHARS = 20;
/** Minimum length of parameters, users and passwords within a value. Shorter ones are often protocol words. */
const LEAST_PARAMETER_CHARS = 16;
/** Words that precede a credential of any form. */
const SCHEME = /^(?:bearer|basic|token|api-?key|key|digest|negotiate|hmac|dpop|bot|sharedaccesssignature)$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;
const PRINTABLE = /^[\t\n\r\x20-\x7e]+$/;

export function configuredValues(
  server: Pick<Server, 'headers' | 'url' | 'public'>,
): readonly ConfiguredValue[] {
  const known = new Set(server.public.map((name) => name.toLowerCase()));
  const url = new URL(server.url);
  const headers = Object.entries(server.headers).map(([name, value]) =>
    named(`header ${name}`, known.has(name.toLowerCase()), inHeader(name.toLowerCase(), value)),
  );
  const parameters = parametersOf(url).map(({ name, texts }) =>
    named(`parameter ${name}`, known.has(name.toLowerCase()), texts),
  );
  const segments = url.pathname.split('/').flatMap((segment, index) => {
    const plain = decoded(segment);
    return isOpaqueSegment(plain) ? [named(`path segment ${String(index)}`, false, [segment, plain])] : [];
  });
  return [...headers, ...parameters, ...segments];
}

function named(name: string, isPublic: boolean, texts: readonly string[]): ConfiguredValue {
  if (isPublic) return { name, kind: 'public', guarded: [] };
  const guarded = [...new Set(texts)].filter((text) => text.length >= LEAST_CHARS);
  return { name, kind: guarded.length === 0 ? 'short' : 'guarded', guarded };
}

/** Returns parameters as written and as decoded. If a parameter has no value, its name is the value. */
function parametersOf({ search }: URL): { readonly name: string; readonly texts: readonly string[] }[] {
  return search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair, index) => {
      const equals = pair.indexOf('=');
      const written = pair.slice(equals + 1);
      const read = decoded(written.replaceAll('+', ' '));
      const given = decoded(pair.slice(0, Math.max(0, equals)));
      const name = given === '' || isOpaqueSegment(given) ? String(index + 1) : given;
      return { name, texts: [written, ...withParts(decoded(written)), ...withParts(read)] };
    });
}

/** Splits only `Cookie` into cookies. Elsewhere, `=` may belong to the value. */
function inHeader(name: string, value: string): readonly string[] {
  if (name !== 'cookie') return withParts(value);
  return value.split(/;\s*/).flatMap((pair) => {
    const text = unquoted(pair.slice(pair.indexOf('=') + 1).trim());
    return [...withParts(text), decoded(text)];
  });
}

/** Returns a value, and its parts that are credentials on their own. */
function withParts(value: string): readonly string[] {
  const [, scheme = '', rest] = /^([A-Za-z][\w.-]*)\s+(\S.*)$/.exec(value) ?? [];
  const credential = rest ?? value;
  const plain = rest !== undefined && scheme.toLowerCase() === 'basic' ? fromBase64(rest) : undefined;
  return [
    value,
    ...(SCHEME.test(scheme) || isLongEnough(credential) ? [credential] : []),
    ...userAndPassword(plain ?? credential, plain !== undefined),
    ...inBase64(credential),
    ...parametersIn(value),
    ...[decoded(credential)].filter((text) => text !== credential && isLongEnough(text)),
  ];
}

/**
 * Splits `user:password`. In Basic authentication, the password is a credential, and the user if it looks like a key or
 * the password is short.
 */
function userAndPassword(pair: string, isBasic: boolean): readonly string[] {
  const colon = pair.indexOf(':');
  if (colon < 0) return isBasic ? [pair] : [];
  const user = pair.slice(0, colon);
  const password = pair.slice(colon + 1);
  const isKey = password.length < LEAST_CHARS || (isLongEnough(user) && !user.includes('@'));
  if (isBasic) return [pair, password, ...(isKey ? [user] : [])];
  return [user, password].filter((text) => text.length >= LEAST_PARAMETER_CHARS && hasLettersAndDigits(text));
}

function inBase64(value: string): readonly string[] {
  const plain = BASE64.test(value) ? fromBase64(value) : undefined;
  return plain === undefined ? [] : [plain, ...userAndPassword(plain, true)];
}

function fromBase64(value: string): string | undefined {
  const plain = Buffer.from(value, 'base64').toString('latin1');
  return PRINTABLE.test(plain) ? plain : undefined;
}

// Parses `sig=…&se=…`, `token="…"`.
function parametersIn(value: string): readonly string[] {
  return value
    .split(/[\s,;&]+/)
    .filter((pair) => pair.includes('='))
    .map((pair) => unquoted(pair.slice(pair.indexOf('=') + 1)))
    .filter((text) => text.length >= LEAST_PARAMETER_CHARS && hasLettersAndDigits(text));
}

function isLongEnough(text: string): boolean {
  return text.length >= (hasLettersAndDigits(text) ? LEAST_CHARS : LEAST_WORDY_CHARS);
}

function unquoted(text: string): string {
  return /^"(.*)"$/.exec(text)?.[1] ?? text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoded
  }
}
