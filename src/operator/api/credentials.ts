import type { Config } from '../../config/schema.ts';
import { ApiError } from './problem.ts';

/** @throws ApiError unless all these credentials are configured, at most one per provider */
export function refuseUnknownCredentials(
  { credentials }: Pick<Config, 'credentials'>,
  names: readonly string[] = [],
): void {
  const byProvider = new Map<string, string>();
  for (const name of names) {
    const provider = Object.hasOwn(credentials, name) ? credentials[name]?.provider : undefined;
    if (provider === undefined)
      throw new ApiError('invalid_request', `body: credentials: "${name}" is not in the configuration`);
    const other = byProvider.get(provider);
    if (other !== undefined)
      throw new ApiError(
        'invalid_request',
        `body: credentials: ${other} and ${name} are both for ${provider}: name one of them`,
      );
    byProvider.set(provider, name);
  }
}
