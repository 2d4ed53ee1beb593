/** Client headers forwarded to every provider. Headers on no list are dropped (docs/routing.md). */
const EVERYWHERE: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'user-agent',
  'idempotency-key',
  // Client runtime telemetry, sent by the SDKs of many providers.
  ...[
    'arch',
    'async',
    'helper',
    'helper-method',
    'lang',
    'os',
    'package-version',
    'read-timeout',
    'retry-count',
    'runtime',
    'runtime-version',
    'timeout',
  ].map((what) => `x-stainless-${what}`),
]);

export const ANTHROPIC_HEADERS: ReadonlySet<string> = new Set([
  'anthropic-version',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'x-app',
]);

/** Pagination parameters. They affect neither the model nor the answer format. */
const PAGES: ReadonlySet<string> = new Set([
  'after',
  'after_id',
  'before',
  'before_id',
  'limit',
  'order',
  'page',
  'page_size',
  'page_token',
]);

/** Anthropic's SDKs send `beta` for beta features. The parameter changes neither price nor format. */
export const ANTHROPIC_PARAMETERS: ReadonlySet<string> = new Set(['beta']);

export interface ClientFields {
  /** Lower-case names of the headers specific to this provider. */
  readonly headers?: ReadonlySet<string>;
  /** The headers that select an account. Only clients that send their own provider key may set them. */
  readonly accountHeaders?: ReadonlySet<string>;
  /** Exact names of query parameters. */
  readonly parameters?: ReadonlySet<string>;
}

/** @param name in lower case */
export function acceptsHeader({ headers }: ClientFields, name: string): boolean {
  return EVERYWHERE.has(name) || headers?.has(name) === true;
}

/** Returns the query with its `?`, but without unknown parameters, including encoded spellings such as `%61lt`. */
export function acceptedQuery({ parameters }: ClientFields, query: string): string {
  if (query === '') return query;
  const kept = query
    .slice(1)
    .split('&')
    .filter((part) => {
      const [name = ''] = part.split('=', 1);
      return PAGES.has(name) || parameters?.has(name) === true;
    });
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}
