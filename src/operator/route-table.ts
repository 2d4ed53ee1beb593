import { ApiError } from './api/problem.ts';
import type { Route } from './api/route.ts';

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
  if (found.length === 0) throw new ApiError('not_found', 'the API has no such path: see /api/openapi.json');
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
