import { errorShapeOf } from '../../providers/error-shapes.ts';
import type { ErrorShape } from '../../providers/descriptor.ts';

/** Whose API a request is addressed to: all that is known of who will read a refusal, before anything was judged. */
export type Surface =
  | { readonly kind: 'provider'; readonly shape: ErrorShape }
  | { readonly kind: 'mcp' }
  /** Where MCP clients look for an authorization server. */
  | { readonly kind: 'oauth' }
  | { readonly kind: 'none' };

export const NO_SURFACE: Surface = { kind: 'none' };

/** Where they look, at the root (RFC 8414, RFC 9728) or below an address. */
const WELL_KNOWN = '.well-known';
/** Where they take one to be that is named nowhere (MCP 2025-03-26). */
const TAKEN_FOR_ONE: ReadonlySet<string> = new Set(['/register', '/authorize', '/token']);

/** Whether pages of `mcp.allowed_origins` may ask there. */
export function isForBrowsers({ kind }: Surface): boolean {
  return kind === 'mcp' || kind === 'oauth';
}

/** @param path without a key segment and without its query */
export function surfaceOf(path: string): Surface {
  const [, first = ''] = path.split('/', 2);
  if (first === WELL_KNOWN || TAKEN_FOR_ONE.has(path)) return { kind: 'oauth' };
  if (first === 'mcp') return { kind: `${path}/`.includes(`/${WELL_KNOWN}/`) ? 'oauth' : 'mcp' };
  const shape = errorShapeOf(path);
  return shape === undefined ? NO_SURFACE : { kind: 'provider', shape };
}
