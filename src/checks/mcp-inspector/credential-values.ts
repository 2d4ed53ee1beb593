import type { McpConfig } from '../../config/sections/mcp.ts';
import { hasLettersAndDigits, isOpaqueSegment } from '../../text/opaque-segment.ts';

type Server = Pick<McpConfig['servers'][number], 'headers' | 'url' | 'public'>;

/** A value that a server was configured with. */
export interface ConfiguredValue {
  /** Where it stands: a header, a parameter, or a segment of the path by its number. Never the value. */
  readonly name: string;
  /** `public`: the operator says that it is no credential. `short`: it would be found in ordinary texts. */
  readonly kind: 'guarded' | 'public' | 'short';
  /** The texts that must not be told: the value and the credentials in it. */
  readonly guarded: readonly string[];
}

/** A shorter value would be found in ordinary texts. */
const LEAST_CHARS = 8;
/** The same for a part of a value that is no credential by its place, and has no digit among its letters. */
const LEAST_WORDY_CHARS = 20;
/** A parameter's value within a header is often a word of a protocol. */
const LEAST_PARAMETER_CHARS = 16;
/** What stands before a credential, whatever that looks like. */
const SCHEME = /^(?:bearer|basic|token|api-?key|key|digest|negotiate|hmac|dpop|bot|sharedaccesssignature)$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;
const PRINTABLE = /^[\t\n\r\x20-\x7e]+$/;

/** Everything that a server was configured with, with the texts to guard. */
export function configuredValues(server: Server): readonly ConfiguredValue[] {
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

/** As they are written and as they are read; one without a value is its own. */
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

/** Cookies are read under `Cookie` alone: elsewhere `=` is a character like others. */
function inHeader(name: string, value: string): readonly string[] {
  if (name !== 'cookie') return withParts(value);
  return value.split(/;\s*/).flatMap((pair) => {
    const text = unquoted(pair.slice(pair.indexOf('=') + 1).trim());
    return [...withParts(text), decoded(text)];
  });
}

/** A value, and the parts of it that are credentials by themselves. */
function withParts(value: string): readonly string[] {
  const [, scheme = '', rest] = /^([A-Za-z][\w.-]*)\s+(\S.*)$/.exec(value) ?? [];
  const credential = rest ?? value;
  const plain = rest !== undefined && scheme.toLowerCase() === 'basic' ? fromBase64(rest) : undefined;
  return [
    value,
    ...(SCHEME.test(scheme) || isTelling(credential) ? [credential] : []),
    ...userAndPassword(plain ?? credential, plain !== undefined),
    ...inBase64(credential),
    ...parametersIn(value),
    ...[decoded(credential)].filter((text) => text !== credential && isTelling(text)),
  ];
}

/** `user:password`; of Basic the password is one whatever it looks like, and the user where he has none. */
function userAndPassword(pair: string, isBasic: boolean): readonly string[] {
  const colon = pair.indexOf(':');
  if (colon < 0) return isBasic ? [pair] : [];
  const user = pair.slice(0, colon);
  const password = pair.slice(colon + 1);
  const isKey = password.length < LEAST_CHARS || (isTelling(user) && !user.includes('@'));
  if (isBasic) return [pair, password, ...(isKey ? [user] : [])];
  return [user, password].filter((text) => text.length >= LEAST_PARAMETER_CHARS && hasLettersAndDigits(text));
}

/** What Base64 holds where it is text. */
function inBase64(value: string): readonly string[] {
  const plain = BASE64.test(value) ? fromBase64(value) : undefined;
  return plain === undefined ? [] : [plain, ...userAndPassword(plain, true)];
}

function fromBase64(value: string): string | undefined {
  const plain = Buffer.from(value, 'base64').toString('latin1');
  return PRINTABLE.test(plain) ? plain : undefined;
}

/** `sig=…&se=…`, `token="…"`. */
function parametersIn(value: string): readonly string[] {
  return value
    .split(/[\s,;&]+/)
    .filter((pair) => pair.includes('='))
    .map((pair) => unquoted(pair.slice(pair.indexOf('=') + 1)))
    .filter((text) => text.length >= LEAST_PARAMETER_CHARS && hasLettersAndDigits(text));
}

function isTelling(text: string): boolean {
  return text.length >= (hasLettersAndDigits(text) ? LEAST_CHARS : LEAST_WORDY_CHARS);
}

function unquoted(text: string): string {
  return /^"(.*)"$/.exec(text)?.[1] ?? text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not percent-encoding
  }
}
