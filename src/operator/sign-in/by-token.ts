import { ApiError } from '../api/problem.ts';
import type { Identify } from './identify.ts';
import type { ApiTokens } from './tokens.ts';

const BEARER = /^Bearer ([\x21-\x7e]{1,128})$/i;

/**
 * Identifies a program by API token. Any other `Authorization` identifies no one, whatever else the request
 * carries.
 */
export function byToken(tokens: ApiTokens): Identify {
  return async ({ headers }) => {
    const { authorization } = headers;
    if (authorization === undefined) return undefined;
    const [, secret] = BEARER.exec(authorization) ?? [];
    const who = secret === undefined ? undefined : await tokens.verify(secret);
    if (who === undefined)
      throw new ApiError('not_signed_in', 'the API token is unknown, was revoked, or has ended');
    return { who, csrf: undefined };
  };
}
