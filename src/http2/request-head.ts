import type { HeaderEntry } from './static-table.ts';

export interface Http2RequestHead {
  readonly method: string;
  readonly path: string;
  /** Without pseudo headers; names in lower case, values in latin1. */
  readonly fields: readonly HeaderEntry[];
}

const NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const FORBIDDEN_IN_VALUES = /[\0\r\n]/;
/** RFC 9113 section 8.2.2. */
const HTTP1_HEADERS = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);
const PSEUDO = new Set([':method', ':scheme', ':path', ':authority']);

/** Returns undefined for a malformed request (RFC 9113 section 8.3). */
export function readHttp2RequestHead(headers: readonly HeaderEntry[]): Http2RequestHead | undefined {
  const pseudo = new Map<string, string>();
  const fields: HeaderEntry[] = [];
  for (const header of headers) {
    const { name, value } = header;
    if (FORBIDDEN_IN_VALUES.test(value)) return undefined;
    if (name.startsWith(':')) {
      if (fields.length > 0 || !PSEUDO.has(name) || pseudo.has(name)) return undefined;
      pseudo.set(name, value);
    } else {
      if (!isField(name, value)) return undefined;
      fields.push(header);
    }
  }
  const method = pseudo.get(':method');
  const path = pseudo.get(':path');
  if (method === undefined || path === undefined || !pseudo.has(':scheme')) return undefined;
  return { method, path, fields };
}

function isField(name: string, value: string): boolean {
  return NAME.test(name) && !HTTP1_HEADERS.has(name) && (name !== 'te' || value === 'trailers');
}

export function headerOf({ fields }: Http2RequestHead, name: string): string | undefined {
  for (const field of fields) if (field.name === name) return field.value;
  return undefined;
}
