import { fetchKeySet } from '../../src/auth/jwt/fetch-key-set.ts';
import { KEY_SET_TIMEOUT_MS } from '../../src/config/rules.ts';
import type { Config } from '../../src/config/schema.ts';
import { messageOf } from '../../src/errors.ts';
import { fail, ok, warn } from './finding.ts';
import type { Finding } from './finding.ts';

/** Whether the keys that JWTs are verified by can be read from here. */
export async function diagnoseIdentity({ zsp, server }: Config): Promise<Finding[]> {
  if (!zsp.enabled) return [ok('identity', 'JWTs: off (zsp.enabled: false)')];
  const scope = zsp.jwt_only ? 'every proxy key needs one' : 'keys with a jwt_subject need one';
  const proofs =
    server.public_url === undefined
      ? warn('identity', 'DPoP: tokens that are bound to a key are refused without server.public_url')
      : ok('identity', `DPoP: proofs are made for ${server.public_url}${zsp.require_dpop ? ', by all' : ''}`);
  try {
    const { keys } = await fetchKeySet({ url: zsp.jwks_url, timeoutMs: KEY_SET_TIMEOUT_MS });
    const read = `JWTs: ${scope}; ${keys.length} keys at zsp.jwks_url`;
    return [
      keys.length === 0 ? fail('identity', `${read}: none can be verified`) : ok('identity', read),
      proofs,
    ];
  } catch (error) {
    // A gateway starts without them, and refuses what needs a JWT until they are there.
    return [warn('identity', `JWTs: ${scope}; zsp.jwks_url cannot be read (${messageOf(error)})`), proofs];
  }
}
