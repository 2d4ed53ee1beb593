import { carriesProxyKey } from '../auth/carried-key.ts';
import { PROVIDER_NAMES, type Provider } from '../providers/provider.ts';
import { isOpaqueSegment } from '../text/opaque-segment.ts';

/** Base URLs have few segments, and so has what is wrong with one. */
const MAX_DROPPED = 5;
const MAX_PATH_CHARS = 512;
const MAX_SHOWN_CHARS = 160;
const VERSION = /^v\d{1,2}(?:alpha|beta)?\d{0,2}$/;
const PLAIN_SEGMENT = /^[A-Za-z0-9._:-]{0,96}$/;

/** A path that a provider's table does not have. */
export interface AskedPath {
  readonly provider: Provider;
  /** The path of its base URL, which clients may repeat. */
  readonly basePath: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

/**
 * The endpoint that was meant where a base URL lacks its beginning (`/v1`), or has it twice, or another's: the path
 * without the segments of base URLs in front, behind one of the provider's own roots. Undefined where none is known.
 */
export function meantPath(asked: AskedPath): string | undefined {
  if (asked.path.length > MAX_PATH_CHARS) return undefined;
  const path = asked.path.replace(/\/$/, '');
  for (const candidate of candidates(asked, path)) {
    if (asked.provider.endpoint(asked.method, candidate, asked.query) !== undefined) return candidate;
  }
  return undefined;
}

function* candidates({ provider, basePath }: AskedPath, path: string): Generator<string> {
  const isBase = baseSegments(provider, basePath);
  let rest = path;
  for (let dropped = 0; dropped <= MAX_DROPPED; dropped++) {
    for (const root of provider.roots) yield root + rest;
    yield rest;
    const [, first = ''] = rest.split('/', 2);
    if (first === '' || !isBase(first)) return;
    rest = rest.slice(first.length + 1);
  }
}

/** Whether a path begins as this provider's own do: then it is no base URL that is wrong. */
export function hasOwnRoot({ provider, basePath, path }: AskedPath): boolean {
  const isBase = baseSegments(provider, basePath);
  return provider.roots.some(
    (root) => path.startsWith(`${root}/`) && !isBase(path.slice(root.length).split('/', 2)[1] ?? ''),
  );
}

function baseSegments(provider: Provider, basePath: string): (segment: string) => boolean {
  const known = new Set<string>([...PROVIDER_NAMES, ...[basePath, ...provider.roots].join('/').split('/')]);
  return (segment) => known.has(segment) || VERSION.test(segment);
}

/** A path as it may be told: bounded, in plain letters, without what could be a credential. */
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
