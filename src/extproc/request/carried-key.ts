import { carriesProxyKey } from '../../auth/carried-key.ts';
import { isKeyHeader, type Credentials } from '../../auth/credentials.ts';
import { GatewayError } from '../../errors.ts';

/** Repeats the address, with the key in it where that has one, and never travels on. */
const PROOF = 'dpop';

/**
 * A proxy key is taken out of its places; in any other header, path segment or parameter one is refused, whosever.
 * @throws GatewayError invalid_request
 */
export function assertNotCarried(
  { hidesProxyKey, path, query }: Credentials,
  headers: ReadonlyMap<string, string>,
): void {
  if (hidesProxyKey || carriesProxyKey(path + query)) throw proxyKeyCarried();
  for (const [name, value] of headers) {
    if (!isKeyHeader(name) && name !== PROOF && carriesProxyKey(value)) throw proxyKeyCarried();
  }
}

export function proxyKeyCarried(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'a proxy key stands where it could be sent upstream: send it alone, without quotes, in Authorization: Bearer or in the path, and in no other header, parameter or segment',
  );
}
