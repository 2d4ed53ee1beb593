import type { McpConfig } from '../../config/sections/mcp.ts';
import type { Finding } from '../../detectors/finding.ts';
import { SERVER_CREDENTIAL_RULE } from '../../detectors/tool-rules.ts';
import { isTurnOver, nextTurn } from '../../turns.ts';
import { hasLettersAndDigits, isOpaqueSegment } from '../../text/opaque-segment.ts';

type Server = McpConfig['servers'][number];

/** What a server was configured with, and must not tell its clients. */
export interface ServerCredentials {
  /**
   * The n-th findings are the n-th text's. Linear, in turns.
   * @param most in all texts: it gives up with one more
   */
  findAll(texts: readonly string[], most?: number): Promise<readonly (readonly Finding[])[]>;
  isIn(text: string): boolean;
}

/** The credentials of a server by its name. */
export type CredentialsOf = (server: string) => ServerCredentials;

export function createCredentialsOf(servers: readonly Server[]): CredentialsOf {
  const known = new Map(servers.map((server) => [server.name, createServerCredentials(server)]));
  return (server) => known.get(server) ?? NO_CREDENTIALS;
}

/** Names of headers and parameters with a credential. */
const NAMED = /auth|token|secret|key|passw|cookie|credential|session|signature/i;
/** A shorter value, and a shorter one without a digit among its letters, would be found in ordinary texts. */
const LEAST_CHARS = 8;
const LEAST_WORDY_CHARS = 20;

/**
 * Knows the credentials in `headers` and `url` of a server by their values, whatever their form: as they are,
 * percent-encoded, in hex, or anywhere in Base64.
 */
export function createServerCredentials(server: Pick<Server, 'headers' | 'url'>): ServerCredentials {
  const written = [...new Set(credentialsOf(server).flatMap(spellings))];

  /** One more than `most` at most. */
  function find(text: string, needle: string, most: number): readonly Finding[] {
    const found: Finding[] = [];
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
      found.push(finding(at, at + needle.length));
      if (found.length > most) break;
    }
    return found;
  }

  return {
    isIn: (text) => written.some((needle) => text.includes(needle)),
    async findAll(texts, most = Infinity) {
      const all: Finding[][] = [];
      let left = most;
      for (const text of texts) {
        const found: Finding[] = [];
        for (const needle of left < 0 ? [] : written) {
          const more = find(text, needle, left);
          for (const one of more) found.push(one);
          left -= more.length;
          if (isTurnOver(text.length)) await nextTurn();
        }
        all.push(found);
      }
      return all;
    },
  };
}

/** Of a server that was given none. */
export const NO_CREDENTIALS = createServerCredentials({ headers: {}, url: 'http://localhost' });

function finding(start: number, end: number): Finding {
  return { detector: 'secrets', class: 'secret', rule: SERVER_CREDENTIAL_RULE, start, end };
}

function credentialsOf({ headers, url }: Pick<Server, 'headers' | 'url'>): readonly string[] {
  const { pathname, searchParams } = new URL(url);
  const inHeaders = Object.entries(headers).flatMap(([name, value]) =>
    NAMED.test(name) ? valuesIn(value) : [],
  );
  const inQuery = [...searchParams].flatMap(([name, value]) => (NAMED.test(name) ? [value] : []));
  return [...inHeaders, ...inQuery, ...pathname.split('/').filter(isOpaqueSegment)].filter(isTelling);
}

function isTelling(value: string): boolean {
  return value.length >= (hasLettersAndDigits(value) ? LEAST_CHARS : LEAST_WORDY_CHARS);
}

/** Without its scheme, a cookie's without its name; what is Basic is also its password. */
function valuesIn(header: string): readonly string[] {
  const [scheme = '', value] = header.split(/\s+(.*)/);
  if (scheme.endsWith(';') || scheme.includes('=')) {
    return header.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1));
  }
  if (value === undefined) return [header];
  if (scheme.toLowerCase() !== 'basic') return [value];
  const plain = Buffer.from(value, 'base64').toString();
  return [value, plain, plain.slice(plain.indexOf(':') + 1)];
}

function spellings(value: string): readonly string[] {
  const percent = encodeURIComponent(value);
  const hex = Buffer.from(value).toString('hex');
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const base64 = withinBase64(value, before);
    return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
  });
  const lower = percent.replaceAll(/%../g, (escape) => escape.toLowerCase());
  return [value, percent, lower, hex, hex.toUpperCase(), ...inBase64];
}

/** The digits that a value has in Base64 wherever so many bytes (modulo 3) stand before it, whatever comes after. */
function withinBase64(value: string, bytesBefore: number): string {
  const bytes = Buffer.concat([Buffer.alloc(bytesBefore), Buffer.from(value)]);
  const first = Math.ceil((bytesBefore * 8) / 6);
  return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
}
