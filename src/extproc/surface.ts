import { PROVIDER_NAMES, type ProviderName } from '../providers/provider.ts';

/** Whose API a request is addressed to: all that is known of who will read a refusal, before anything was judged. */
export type Surface =
  /** `path` is the provider's own, with its base path where the client sent it: unjudged, never to be shown. */
  | { readonly kind: 'provider'; readonly name: ProviderName; readonly path: string }
  | { readonly kind: 'mcp' }
  | { readonly kind: 'none' };

export const NO_SURFACE: Surface = { kind: 'none' };

/** @param path without a key segment and without its query */
export function surfaceOf(path: string): Surface {
  const [, first = ''] = path.split('/', 2);
  if (first === 'mcp') return { kind: 'mcp' };
  const name = PROVIDER_NAMES.find((known) => known === first);
  return name === undefined ? NO_SURFACE : { kind: 'provider', name, path: path.slice(first.length + 1) };
}
