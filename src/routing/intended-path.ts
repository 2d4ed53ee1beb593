import { carriesProxyKey } from '../auth/carried-key.ts';
import { type Provider, PROVIDER_NAMES } from '../providers/registry.ts';
import { isOpaqueSegment } from '../text/opaque-segment.ts';

/** Maximum number of leading segments dropped. Base URLs have only a few. */
const MAX_DROPPED = 5;
const MAX_PATH_CHARS = 512;
const MAX_SHOWN_CHARS = 160;
const VERSION = /^v\d{1,2}(?:alpha|beta)?\d{0,2}$/;
const PLAIN_SEGMENT = /^[A-Za-z0-9._:-]{0,96}$/;

export interface RequestedPath {
  readonly provider: Provider;
  /** The path of the provider's base URL, without a version. Clients may repeat it. */
  readonly basePath: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

/**
 * Returns the path intended by a client whose base URL has no `/v1`, two of them, or another provider's base path.
 * Returns undefined for other paths.
 */
export function intendedPath({ provider, basePath, method, path, query }: RequestedPath): string | undefined {
  if (path.length > MAX_PATH_CHARS) return undefined;
  const isBase = baseSegments(provider, basePath);
  const isEndpoint = (candidate: string): boolean =>
    provider.endpoint(method, candidate, query) !== undefined;
  let rest = path.replace(/\/$/, '');
  for (let dropped = 0; dropped <= MAX_DROPPED; dropped++) {
    const found = [...provider.roots, ''].map((root) => root + rest).find(isEndpoint);
    if (found !== undefined) return found;
    const [, first = ''] = rest.split('/', 2);
    if (first === '' || !isBase(first)) return undefined;
    rest = rest.slice(first.length + 1);
  }
  return undefined;
}

/** Reports whether a path begins with a root that no further base segment follows, so that the base URL is correct. */
export function hasOwnRoot({ provider, basePath, path }: RequestedPath): boolean {
  const isBase = baseSegments(provider, basePath);
  return provider.roots.some(
    (root) => path.startsWith(`${root}/`) && !isBase(path.slice(root.length).split('/', 2)[1] ?? ''),
  );
}

function baseSegments(provider: Provider, basePath: string): (segment: string) => boolean {
  const known = new Set<string>([...PROVIDER_NAMES, ...[basePath, ...provider.roots].join('/').split('/')]);
  return (segment) => known.has(segment) || VERSION.test(segment);
}

/** Shortens a path for error messages and replaces unusual segments and possible credentials with `…`. */
export function shownPath(path: string): string {
  const shown = path
    .slice(0, MAX_PATH_CHARS)
    .split('/')
    .map((segment) => (isShown(segment) ? segment : '…'))
    .join('/');
  return shown.length > MAX_SHOWN_CHARS ? `${shown.slice(0, MAX_SHOWN_CHARS)}…` : shown;
}

function isShown(segment: string): boolean {
  return PLAIN_SEGMENT.test(segment) && !isOpaqueSegment(segment) && !carriesProxyKey(segment);
}
