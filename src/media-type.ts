import { RecentMap } from './recent-map.ts';

/** A parsed Content-Type (RFC 9110 section 8.3). All decisions about request and answer types use it. */
export interface MediaType {
  /** `type/subtype` in lower case; empty if the header is missing, repeated or has invalid characters. */
  readonly essence: string;
  /**
   * Encoding of the text: `utf-8` (also the default), `ascii-based` (another encoding that preserves ASCII bytes, or an
   * empty name), `other` (an unsupported encoding, or a name that decoders interpret differently).
   */
  readonly charset: 'utf-8' | 'ascii-based' | 'other';
  readonly hasOtherParameters: boolean;
}

/**
 * Parses a Content-Type defensively. Considers everything that a decoder might accept as a charset (two parameters, a
 * quoted string, RFC 2231 notation), and returns the most dangerous one.
 */
export function readMediaType(contentType = ''): MediaType {
  const known = recent.get(contentType);
  if (known !== undefined) return known;
  const read = readAnew(contentType);
  if (contentType.length <= MAX_REMEMBERED_CHARS) recent.set(contentType, read);
  return read;
}

// A Content-Type is parsed several times per request, with few distinct values.
const recent = new RecentMap<MediaType>(64);
const MAX_REMEMBERED_CHARS = 128;

function readAnew(contentType: string): MediaType {
  const written = contentType.toLowerCase();
  // Repeated headers arrive joined by commas, and parsers disagree about which one applies.
  const isOne = HEADER_TEXT.test(written) && !written.includes(',');
  const [essence = '', ...parameters] = written.split(';');
  return {
    essence: isOne ? essence.trim() : '',
    charset: worst(written.split(/[;,]/).map(charsetIn)),
    hasOtherParameters: !parameters.every((parameter) => parameter.trimStart().startsWith(NAME)),
  };
}

const HEADER_TEXT = /^[\t\x20-\x7e]*$/;
const NAME = 'charset';
const UTF8: ReadonlySet<string> = new Set(['utf-8', 'utf8']);
const ASCII_BASED: ReadonlySet<string> = new Set([
  '', // decoders fall back to UTF-8 or Latin-1
  'us-ascii',
  'ascii',
  'iso-8859-1',
  'latin1',
  'windows-1252',
  'cp1252',
]);

/** Parses one piece between separators: `charset=name` or `charset="name"`, optionally surrounded by white space. */
function charsetIn(piece: string): MediaType['charset'] {
  const at = piece.indexOf(NAME);
  if (at < 0) return 'utf-8';
  const rest = piece.slice(at + NAME.length).trim();
  if (!rest.startsWith('=')) return 'other';
  const name = unquoted(rest.slice(1).trim());
  if (UTF8.has(name)) return 'utf-8';
  return ASCII_BASED.has(name) ? 'ascii-based' : 'other';
}

function unquoted(value: string): string {
  const isQuoted = value.length >= 2 && value.startsWith('"') && value.endsWith('"');
  return isQuoted ? value.slice(1, -1).trim() : value;
}

function worst(charsets: readonly MediaType['charset'][]): MediaType['charset'] {
  if (charsets.includes('other')) return 'other';
  return charsets.includes('ascii-based') ? 'ascii-based' : 'utf-8';
}
