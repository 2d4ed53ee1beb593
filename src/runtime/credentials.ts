import type { Config } from '../config/schema.ts';
import type { Environment } from '../config/environment.ts';
import {
  followCredentials,
  type CredentialValues,
  type FollowedCredentials,
} from '../provider-credentials/follow.ts';
import type { Logger } from '../telemetry/logger.ts';

export interface CredentialsOptions {
  readonly config: Config;
  readonly environment: Environment;
  readonly log: Logger;
  /** Called with the values for new requests. */
  readonly onChanged: (values: CredentialValues) => void;
}

/** Follows the gateway's provider credentials. Values stay in memory, here and in the workers. */
export function startCredentials(options: CredentialsOptions): Promise<FollowedCredentials> {
  const { config, environment, log, onChanged } = options;
  return followCredentials({
    credentials: config.credentials,
    environment,
    onChanged,
    onSource: (credential, cause) => {
      if (cause === undefined) log.info({ credential }, 'a provider credential can be read again');
      else
        log.error({ credential, cause }, 'a provider credential cannot be read: its last value stays in use');
    },
    onEnded: (credential) => {
      log.error(
        { credential },
        'a provider credential has passed its max_age or its end: requests with it are refused',
      );
    },
  });
}

/** Returns the environment variables that hold credentials. Child processes must not inherit them. */
export function credentialVariables({ credentials }: Config): readonly string[] {
  return Object.values(credentials).flatMap(({ from }) => (from.env === undefined ? [] : [from.env]));
}
