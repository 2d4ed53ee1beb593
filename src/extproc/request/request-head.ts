import type { HeaderList } from '../wire/messages.ts';

/** Names are in lower case. */
export interface RequestHead {
  readonly method: string;
  /** Path and query. Must never be logged, because it may contain a proxy key. */
  readonly target: string;
  /** The Host header or `:authority`; several values are joined with `,`. */
  readonly authority: string;
  readonly requestId: string;
  /** All headers except pseudo headers. */
  readonly list: HeaderList;
  /** Repeated headers are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
}

export function readRequestHead(received: HeaderList): RequestHead {
  const list: (readonly [string, string])[] = [];
  const headers = new Map<string, string>();
  let method = '';
  let target = '';
  let authority = '';
  for (const field of received) {
    const [key, text] = field;
    if (key === ':method') method = text;
    else if (key === ':path') target = text;
    else if (key === ':authority') authority = text;
    else if (!key.startsWith(':')) {
      list.push(field);
      const before = headers.get(key);
      headers.set(key, before === undefined ? text : `${before}, ${text}`);
    }
  }
  return { method, target, authority, requestId: headers.get('x-request-id') ?? '', list, headers };
}

/** Joins repeated headers, so that one content encoding cannot hide another. */
export function readResponseHead(received: HeaderList): { status: number; headers: Map<string, string> } {
  const headers = new Map<string, string>();
  for (const [key, text] of received) {
    const before = headers.get(key);
    headers.set(key, before === undefined ? text : `${before}, ${text}`);
  }
  return { status: Number(headers.get(':status') ?? 0), headers };
}

/** Removes port and brackets from `127.0.0.1:54758` or `[::1]:54758`. */
export function addressWithoutPort(address: string): string {
  return address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}
