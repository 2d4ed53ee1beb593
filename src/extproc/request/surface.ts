import { errorShapeOf } from '../../providers/error-shapes.ts';
import type { ErrorShape } from '../../providers/descriptor.ts';

/** The API that a request addresses. Determines the shape of refusals. */
export type Surface =
  | { readonly kind: 'provider'; readonly shape: ErrorShape }
  | { readonly kind: 'mcp' }
  /** A URL at which MCP clients look for an authorization server. */
  | { readonly kind: 'oauth' }
  | { readonly kind: 'none' };

export const NO_SURFACE: Surface = { kind: 'none' };

/** Path segment of metadata URLs, at the root (RFC 8414, RFC 9728) or below `/mcp`. */
const WELL_KNOWN = '.well-known';
/** Endpoints of an authorization server that publishes no metadata (MCP 2025-03-26). */
const DEFAULT_ENDPOINTS: ReadonlySet<string> = new Set(['/register', '/authorize', '/token']);

/** Reports whether pages of `mcp.allowed_origins` may call this surface. */
export function isForBrowsers({ kind }: Surface): boolean {
  return kind === 'mcp' || kind === 'oauth';
}

/** @param path without a key segment and without its query */
export function surfaceOf(path: string): Surface {
  const [, first = ''] = path.split('/', 2);
  if (first === WELL_KNOWN || DEFAULT_ENDPOINTS.has(path)) return { kind: 'oauth' };
  if (first === 'mcp') return { kind: `${path}/`.includes(`/${WELL_KNOWN}/`) ? 'oauth' : 'mcp' };
  const shape = errorShapeOf(path);
  return shape === undefined ? NO_SURFACE : { kind: 'provider', shape };
}
