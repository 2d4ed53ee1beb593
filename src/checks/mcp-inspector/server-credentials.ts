import type { McpConfig } from '../../config/sections/mcp.ts';
import type { Finding } from '../../detectors/finding.ts';
import { SERVER_CREDENTIAL_RULE } from '../../detectors/tool-rules.ts';
import { hasLettersAndDigits } from '../../text/opaque-segment.ts';
import { inTurns, runNow, type Work } from '../../turns.ts';
import { configuredValues } from './credential-values.ts';
import { viewsOf, type View } from './credential-views.ts';

type Server = McpConfig['servers'][number];

/** A server's configured credentials, which it must not show to clients. */
export interface ServerCredentials {
  readonly isEmpty: boolean;
  /** One of them is a number, which JSON may write as such. */
  readonly hasNumbers: boolean;
  /**
   * Returns findings by text. Linear, in turns of the event loop.
   * @param most limit over all texts; gives up after one more
   */
  findAll(texts: readonly string[], most?: number): Promise<readonly (readonly Finding[])[]>;
  isIn(text: string): boolean;
}

export type CredentialsOf = (server: string) => ServerCredentials;

export function createCredentialsOf(servers: readonly Server[]): CredentialsOf {
  const known = new Map(servers.map((server) => [server.name, createServerCredentials(server)]));
  return (server) => known.get(server) ?? NO_CREDENTIALS;
}

/** Reports whether a server may show its credentials (`suppress`). */
export function isTrusted({ suppress }: Pick<Server, 'suppress'>): boolean {
  return suppress.includes('secrets') || suppress.includes(SERVER_CREDENTIAL_RULE);
}

/** The searched values, in lower case. */
interface Needles {
  /** For decoded texts. */
  readonly plain: readonly string[];
  /** For letters and digits only. */
  readonly squeezed: readonly string[];
}

/**
 * Finds the credentials in a server's `headers` and `url` in any form: any case, escaped for JSON, URLs or
 * HTML, in hex, as a list of bytes, within base64, and split by characters other than letters and digits.
 */
export function createServerCredentials(
  server: Pick<Server, 'headers' | 'url'> & Partial<Pick<Server, 'public'>>,
): ServerCredentials {
  const values = configuredValues({ public: [], ...server }).flatMap(({ guarded }) => guarded);
  const needles = needlesOf([...new Set(values)]);
  const isEmpty = needles.plain.length === 0;
  return {
    isEmpty,
    hasNumbers: values.some((value) => /^\d+$/.test(value)),
    isIn: (text) => !isEmpty && runNow(findInSteps(text, needles, 0)).length > 0,
    async findAll(texts, most = Infinity) {
      if (isEmpty) return texts.map(() => []);
      const all: (readonly Finding[])[] = [];
      let left = most;
      for (const text of texts) {
        const found = left < 0 ? [] : await inTurns(findInSteps(text, needles, left));
        left -= found.length;
        all.push(found);
      }
      return all;
    },
  };
}

/** For a server without credentials. */
export const NO_CREDENTIALS = createServerCredentials({ headers: {}, url: 'http://localhost' });

/** Returns at most one more than `most`. */
function* findInSteps(text: string, needles: Needles, most: number): Work<readonly Finding[]> {
  const found: Finding[] = [];
  if (text.length === 0) return found;
  const { read, squeezed } = yield* viewsOf(text);
  for (const view of read) {
    for (const needle of needles.plain) {
      if (addFindings(view, needle, most, found)) return found;
      yield view.text.length >> 3;
    }
  }
  for (const needle of needles.squeezed) {
    if (addFindings(squeezed, needle, most, found)) return found;
    yield squeezed.text.length >> 3;
  }
  return found;
}

/** Returns true if there are more than `most`. */
function addFindings({ text, toGiven }: View, needle: string, most: number, found: Finding[]): boolean {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) {
    const { start, end } = toGiven(at, at + needle.length);
    found.push({ detector: 'secrets', class: 'secret', rule: SERVER_CREDENTIAL_RULE, start, end });
    if (found.length > most) return true;
  }
  return false;
}

const LEAST_CHARS = 8;
/** Letters and digits alone match more texts. */
const LEAST_SQUEEZED_CHARS = 12;

function needlesOf(values: readonly string[]): Needles {
  const plain = new Set<string>();
  const squeezed = new Set<string>();
  for (const value of values) {
    const views = runNow(viewsOf(value));
    const written = [...views.read.map(({ text }) => text), ...encodings(value)];
    for (const needle of written) if (needle.length >= LEAST_CHARS) plain.add(needle);
    for (const needle of [
      views.squeezed.text,
      ...[...encodings(value), ...byteLists(value)].map(lettersAndDigits),
    ]) {
      if (isTelling(needle)) squeezed.add(needle);
    }
  }
  return { plain: [...plain], squeezed: [...squeezed] };
}

function isTelling(needle: string): boolean {
  return needle.length >= LEAST_SQUEEZED_CHARS && (hasLettersAndDigits(needle) || /^\d{16,}$/.test(needle));
}

function lettersAndDigits(text: string): string {
  return text.replaceAll(/[^a-z0-9]/g, '');
}

/** Hex and base64 of the value, of its UTF-16 form, and of its content if it is base64. */
function encodings(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const wide = Buffer.from(value, 'utf16le');
  const inBase64 = [bytes, wide, Buffer.from(bytes.toString('base64'))].flatMap((one) =>
    [0, 1, 2].flatMap((before) => {
      const base64 = withinBase64(one, before);
      return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
    }),
  );
  return [bytes.toString('hex'), wide.toString('hex'), ...inBase64].map((text) => text.toLowerCase());
}

// `[97, 98]` and `0x61, 0x62`.
function byteLists(value: string): readonly string[] {
  const bytes = [...Buffer.from(value)];
  return [bytes.join(' '), bytes.map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(' ')];
}

/**
 * Returns the base64 digits of a value that do not depend on the bytes around it, for this many preceding
 * bytes (modulo 3).
 */
function withinBase64(value: Buffer, bytesBefore: number): string {
  const bytes = Buffer.concat([Buffer.alloc(bytesBefore), value]);
  const first = Math.ceil((bytesBefore * 8) / 6);
  return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
}
