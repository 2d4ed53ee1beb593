/** Client headers that every provider is sent; everything that is listed nowhere ends at the gateway (docs/routing.md). */
const EVERYWHERE: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'user-agent',
  'idempotency-key',
  // Sent by the SDKs of many providers; telemetry of the client's own runtime.
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

/** Headers of Anthropic's API, which some other providers speak too. */
export const ANTHROPIC_HEADERS: ReadonlySet<string> = new Set([
  'anthropic-version',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'x-app',
]);

/** Query parameters of lists: they choose a page, and neither a model nor a form of answer. */
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

/** Sent by Anthropic's SDKs for whatever is in beta; it changes no price and no form. */
export const ANTHROPIC_PARAMETERS: ReadonlySet<string> = new Set(['beta']);

/** What a provider takes of a client beside the body. */
export interface ClientFields {
  /** Lower-case names of headers that only some providers are sent. */
  readonly headers?: ReadonlySet<string>;
  /** Names of query parameters, exactly as they are written. */
  readonly parameters?: ReadonlySet<string>;
}

/** @param name in lower case */
export function takesHeader({ headers }: ClientFields, name: string): boolean {
  return EVERYWHERE.has(name) || headers?.has(name) === true;
}

/**
 * Returns the query without parameters that the provider is not known to take, with its `?`. A name in another spelling
 * (`%61lt`) is another parameter, and no provider takes that.
 */
export function takenQuery({ parameters }: ClientFields, query: string): string {
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
