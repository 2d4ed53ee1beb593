import { GatewayError } from '../errors.ts';
import { UNKNOWN_ENDPOINT_PATTERN } from '../config/sections/providers.ts';
import type { Config } from '../config/schema.ts';
import type { Provider } from '../providers/provider.ts';
import { globMatches } from '../text/glob.ts';
import { isAdministrative } from './administrative.ts';
import { shownPath, type AskedPath } from './meant-path.ts';
import { isPlainlyWritten, spellsKnownPath } from './spelling.ts';

/** Whether `proxy.unknown_endpoints` lets a request to an endpoint that no dialect reads go on. */
export interface UnknownEndpoints {
  /** @throws GatewayError policy_denied where it is open, and this request is never one of its own */
  isOpen(asked: AskedPath): boolean;
  /** Whether an operator could open it. */
  mayBeOpened(asked: AskedPath): boolean;
}

interface Pattern {
  readonly method: string;
  /** The path's segments, the provider's name first; `*` within one is any text, and `**` at the end any segments. */
  readonly segments: readonly string[];
}

export function createUnknownEndpoints({ proxy }: Config): UnknownEndpoints {
  const setting = proxy.unknown_endpoints;
  const patterns = typeof setting === 'string' ? [] : setting.map(readPattern);

  function isListed({ provider, method, path }: AskedPath): boolean {
    if (setting === 'allow') return !provider.selfHosted;
    const segments = `${provider.name}${path}`.split('/');
    return patterns.some((pattern) => pattern.method === method && matches(pattern.segments, segments));
  }

  return {
    isOpen(asked) {
      if (!isListed(asked)) return false;
      const { provider, path } = asked;
      if (!isPlainlyWritten(path) || spellsKnownPath(asked)) throw misspelt(asked);
      if (isAdministrative(provider, path)) throw administrative(provider, asked);
      return true;
    },
    mayBeOpened: (asked) =>
      isPlainlyWritten(asked.path) &&
      !spellsKnownPath(asked) &&
      !isAdministrative(asked.provider, asked.path),
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

function misspelt({ provider, method, path }: AskedPath): GatewayError {
  return new GatewayError(
    'policy_denied',
    `${method} ${shownPath(`/${provider.name}${path}`)} may be read as a path that the gateway inspects, or in more than one way: send the path as the provider documents it`,
  );
}

function administrative(provider: Provider, { method, path }: AskedPath): GatewayError {
  return new GatewayError(
    'policy_denied',
    `${method} ${shownPath(`/${provider.name}${path}`)} manages ${provider.name}, which proxy keys may not do: call ${provider.name} directly`,
  );
}
