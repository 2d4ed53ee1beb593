import { errorShapeOf, type ErrorShape } from '../providers/error-shapes.ts';

/** Whose API a request is addressed to: all that is known of who will read a refusal, before anything was judged. */
export type Surface =
  | { readonly kind: 'provider'; readonly shape: ErrorShape }
  | { readonly kind: 'mcp' }
  | { readonly kind: 'none' };

export const NO_SURFACE: Surface = { kind: 'none' };

/** @param path without a key segment and without its query */
export function surfaceOf(path: string): Surface {
  if (path === '/mcp' || path.startsWith('/mcp/')) return { kind: 'mcp' };
  const shape = errorShapeOf(path);
  return shape === undefined ? NO_SURFACE : { kind: 'provider', shape };
}
