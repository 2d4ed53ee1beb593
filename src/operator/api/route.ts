import type { IncomingMessage, ServerResponse } from 'node:http';

import type * as z from 'zod';

import type { Identified } from '../sign-in/identify.ts';
import type { Role, SignedIn } from '../sign-in/roles.ts';
import { ApiError } from './problem.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A request that has passed the guard. */
export interface ApiRequest<Query = unknown, Body = unknown> {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** Peer address of the connection. */
  readonly address: string;
  /** Undefined only on routes that need no sign-in. */
  readonly identified: Identified | undefined;
  readonly incoming: IncomingMessage;
}

export type ApiRequestOf<Query, Body> = Omit<ApiRequest<Query, Body>, 'identified'> & {
  readonly identified: Identified;
  readonly who: SignedIn;
};

export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;

/** An answer with its own status, headers or body. */
export class Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: object | undefined;

  constructor(status: number, headers: ReplyHeaders, body?: object) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** An answer that writes its own body, such as an event stream, after the common headers. */
export class StreamReply {
  readonly write: (response: ServerResponse) => void;

  constructor(write: (response: ServerResponse) => void) {
    this.write = write;
  }
}

/** One API operation, from which the listener, its checks and the OpenAPI description derive. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  /** The lowest role that may call the route; `anyone` needs no sign-in. */
  readonly role: Role | 'anyone';
  /** Whether owners may call the route. They see only their own keys. */
  readonly owners: boolean;
  /** Whether other sites, such as an identity provider, may link to the route. */
  readonly navigable?: boolean;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Undefined for streams and redirects. */
  readonly answer?: z.ZodType;
  handle(request: ApiRequest): Promise<unknown>;
}

type Shape<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** Describes a route for signed-in users. */
export function route<Query extends z.ZodType | undefined, Body extends z.ZodType | undefined>(
  described: Omit<Route, 'handle' | 'query' | 'body' | 'owners' | 'role'> & {
    readonly role: Role;
    readonly owners?: boolean;
    readonly query?: Query;
    readonly body?: Body;
    handle(request: ApiRequestOf<Shape<Query>, Shape<Body>>): Promise<unknown>;
  },
): Route {
  const { handle, query, body, owners = false, ...rest } = described;
  return {
    ...rest,
    owners,
    ...(query && { query }),
    ...(body && { body }),
    handle: (request) => {
      const { identified } = request;
      if (identified === undefined) throw new Error('the route needs a sign-in');
      return handle({ ...request, identified, who: identified.who } as ApiRequestOf<
        Shape<Query>,
        Shape<Body>
      >);
    },
  };
}

/** Describes a route that needs no sign-in. */
export function openRoute<Query extends z.ZodType | undefined, Body extends z.ZodType | undefined>(
  described: Omit<Route, 'handle' | 'query' | 'body' | 'owners' | 'role'> & {
    readonly query?: Query;
    readonly body?: Body;
    handle(request: ApiRequest<Shape<Query>, Shape<Body>>): Promise<unknown>;
  },
): Route {
  const { handle, query, body, ...rest } = described;
  return {
    ...rest,
    role: 'anyone',
    owners: true,
    ...(query && { query }),
    ...(body && { body }),
    handle: (request) => handle(request as ApiRequest<Shape<Query>, Shape<Body>>),
  };
}

const MAX_PATH_CHARS = 2_048;

/** Routes by number of segments. Routes with fewer parameters are listed first. */
export type RouteTable = ReadonlyMap<number, readonly ParsedRoute[]>;

interface ParsedRoute {
  readonly route: Route;
  readonly segments: readonly string[];
}

export function routeTable(routes: readonly Route[]): RouteTable {
  const table = new Map<number, ParsedRoute[]>();
  for (const route of routes) {
    const segments = route.path.split('/');
    table.set(segments.length, [...(table.get(segments.length) ?? []), { route, segments }]);
  }
  const parameters = ({ segments }: ParsedRoute): number => segments.filter(isParameter).length;
  for (const parsed of table.values()) parsed.sort((one, other) => parameters(one) - parameters(other));
  return table;
}

export interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** @throws ApiError not_found or method_not_allowed */
export function findRoute(table: RouteTable, method: string, path: string): FoundRoute {
  const segments = path.length > MAX_PATH_CHARS ? [] : path.split('/');
  const found = (table.get(segments.length) ?? []).filter((one) => isFor(one, segments));
  const wanted = method === 'HEAD' ? 'GET' : method;
  const match = found.find(({ route }) => route.method === wanted);
  if (match !== undefined) return { route: match.route, params: paramsOf(match, segments) };
  if (found.length === 0) throw new ApiError('not_found', 'unknown API path: see /api/openapi.json');
  const allow = [...new Set(found.map(({ route }) => route.method))].join(', ');
  throw new ApiError('method_not_allowed', `this path only allows ${allow}`, { headers: { allow } });
}

function isFor({ segments }: ParsedRoute, given: readonly string[]): boolean {
  return segments.every((segment, at) => segment === given[at] || (isParameter(segment) && given[at] !== ''));
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function paramsOf({ segments }: ParsedRoute, given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    segments.flatMap((segment, at) =>
      isParameter(segment) ? [[segment.slice(1, -1), decoded(given[at] ?? '')]] : [],
    ),
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ApiError('invalid_request', 'the path has an invalid percent encoding');
  }
}
