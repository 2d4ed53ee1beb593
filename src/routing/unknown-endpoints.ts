import { GatewayError } from '../errors.ts';
import { UNKNOWN_ENDPOINT_PATTERN } from '../config/sections/providers.ts';
import type { Config } from '../config/schema.ts';
import type { Provider } from '../providers/provider.ts';
import { globMatches } from '../text/glob.ts';
import { isAdministrative } from './administrative.ts';
import { shownPath, type RequestedPath } from './intended-path.ts';
import { isPlainlyWritten, spellsKnownPath } from './spelling.ts';

/** Decides about requests to endpoints that no dialect reads (`proxy.unknown_endpoints`). */
export interface UnknownEndpoints {
  /** @throws GatewayError policy_denied if the path is listed but this request is never allowed */
  isOpen(requested: RequestedPath): boolean;
  /** Reports whether an operator could open this path. */
  mayBeOpened(requested: RequestedPath): boolean;
}

interface Pattern {
  readonly method: string;
  /**
   * The path's segments, the provider's name first. `*` matches any text within one, a final `**` any
   * segments.
   */
  readonly segments: readonly string[];
}

export function createUnknownEndpoints({ proxy }: Config): UnknownEndpoints {
  const setting = proxy.unknown_endpoints;
  const patterns = typeof setting === 'string' ? [] : setting.map(readPattern);

  function isListed({ provider, method, path }: RequestedPath): boolean {
    if (setting === 'allow') return !provider.selfHosted;
    const segments = `${provider.name}${path}`.split('/');
    return patterns.some((pattern) => pattern.method === method && matches(pattern.segments, segments));
  }

  return {
    isOpen(requested) {
      if (!isListed(requested)) return false;
      const { provider, path } = requested;
      if (!isPlainlyWritten(path) || spellsKnownPath(requested)) throw misspelt(requested);
      if (isAdministrative(provider, path)) throw administrative(provider, requested);
      return true;
    },
    mayBeOpened: (requested) =>
      isPlainlyWritten(requested.path) &&
      !spellsKnownPath(requested) &&
      !isAdministrative(requested.provider, requested.path),
  };
}

function readPattern(written: string): Pattern {
  const [, method = '', path = ''] = UNKNOWN_ENDPOINT_PATTERN.exec(written) ?? [];
  return { method, segments: path.slice(1).split('/') };
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  const isOpenEnded = pattern.at(-1) === '**';
  const fixed = isOpenEnded ? pattern.slice(0, -1) : pattern;
  const fits = isOpenEnded ? segments.length > fixed.length : segments.length === fixed.length;
  return fits && fixed.every((glob, index) => globMatches(glob, segments[index] ?? ''));
}

function misspelt({ provider, method, path }: RequestedPath): GatewayError {
  return new GatewayError(
    'policy_denied',
    `${method} ${shownPath(`/${provider.name}${path}`)} may be read as a path that the gateway inspects, or in more than one way: send the path as the provider documents it`,
  );
}

function administrative(provider: Provider, { method, path }: RequestedPath): GatewayError {
  return new GatewayError(
    'policy_denied',
    `${method} ${shownPath(`/${provider.name}${path}`)} manages ${provider.name}, which proxy keys may not do: call ${provider.name} directly`,
  );
}
