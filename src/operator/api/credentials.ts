import type { Config } from '../../config/schema.ts';
import { ApiError } from './problem.ts';

/** @throws ApiError unless each name is a configured credential, and each provider has at most one */
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
        `body: credentials: ${other} and ${name} are both for ${provider}: keep one of them`,
      );
    byProvider.set(provider, name);
  }
}
