import type { Logger } from '../../telemetry/logger.ts';
import { ApiError } from '../api/problem.ts';
import type { CsrfTokenOf } from './csrf-key-store.ts';
import type { Identify } from './identify.ts';
import { createProxyHeader, type ProxyHeaderOptions } from './proxy-header.ts';

/** Minimum interval between log lines about forged headers. */
const LOG_EVERY_MS = 10_000;

export interface ProxyWays {
  readonly byProxy: Identify;
  /** Tried last: tells an unidentified person that the header was ignored. */
  readonly refuseForged: Identify;
}

export function createProxyWays({
  csrfTokenOf,
  log,
  ...options
}: ProxyHeaderOptions & { readonly csrfTokenOf: CsrfTokenOf; readonly log: Logger }): ProxyWays {
  const read = createProxyHeader(options);
  let loggedAt = -Infinity;

  function logForged(address: string): void {
    if (performance.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = performance.now();
    log.warn(
      { client_address: address, header: options.header },
      'a request carried the header of the authenticating proxy, and came from an address that is not in ui.proxy_auth.from: the header was dropped',
    );
  }

  return {
    byProxy: async ({ headersDistinct }, address) => {
      const found = read({ address, headers: headersDistinct });
      if (found.kind === 'forged') logForged(address);
      if (found.kind === 'unusable') throw new ApiError('not_signed_in', found.why);
      if (found.kind !== 'signed-in') return undefined;
      return { who: found.who, csrf: await csrfTokenOf(found.who.subject) };
    },
    refuseForged: ({ headersDistinct }, address) => {
      if (read({ address, headers: headersDistinct }).kind !== 'forged') return Promise.resolve(undefined);
      throw new ApiError(
        'not_signed_in',
        `${options.header} was dropped: this address is not in ui.proxy_auth.from`,
      );
    },
  };
}
