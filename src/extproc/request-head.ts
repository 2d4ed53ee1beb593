import type { HttpHeaders, Struct } from './proto.ts';

/** The request line and headers as Envoy hands them over; names are lower-case. */
export interface RequestHead {
  readonly method: string;
  /** Path and query as they will be routed; may hold a proxy key, so it is never logged. */
  readonly target: string;
  /** The Host header, or `:authority`; several headers are joined by `,`. */
  readonly authority: string;
  readonly requestId: string;
  /** Every header but the pseudo headers, repeated ones as often as they came. */
  readonly list: readonly (readonly [string, string])[];
  /** The same with repeated headers joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
}

export function readRequestHead(message: HttpHeaders): RequestHead {
  const list: (readonly [string, string])[] = [];
  const headers = new Map<string, string>();
  let method = '';
  let target = '';
  let authority = '';
  for (const { key = '', raw_value, value = '' } of message.headers?.headers ?? []) {
    const text = raw_value === undefined || raw_value.length === 0 ? value : raw_value.toString('latin1');
    if (key === ':method') method = text;
    else if (key === ':path') target = text;
    else if (key === ':authority') authority = text;
    else if (!key.startsWith(':')) {
      list.push([key, text]);
      const before = headers.get(key);
      headers.set(key, before === undefined ? text : `${before}, ${text}`);
    }
  }
  return { method, target, authority, requestId: headers.get('x-request-id') ?? '', list, headers };
}

/** Status and headers of an answer; repeated headers joined, so that a second coding does not hide the first. */
export function readResponseHead(message: HttpHeaders): { status: number; headers: Map<string, string> } {
  const headers = new Map<string, string>();
  for (const { key = '', raw_value, value = '' } of message.headers?.headers ?? []) {
    const text = raw_value === undefined || raw_value.length === 0 ? value : raw_value.toString('latin1');
    const before = headers.get(key);
    headers.set(key, before === undefined ? text : `${before}, ${text}`);
  }
  return { status: Number(headers.get(':status') ?? 0), headers };
}

/** One attribute that the configuration asks Envoy for; undefined where Envoy did not send it. */
export function attribute(
  attributes: Readonly<Record<string, Struct>> | undefined,
  name: string,
): string | undefined {
  return attributes?.['envoy.filters.http.ext_proc']?.fields?.[name]?.stringValue;
}

/** `127.0.0.1:54758` or `[::1]:54758` without its port. */
export function addressWithoutPort(address: string): string {
  return address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}
