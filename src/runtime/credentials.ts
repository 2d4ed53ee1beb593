import type { Config } from '../config/schema.ts';
import type { Environment } from '../config/environment.ts';
import {
  followCredentials,
  type CredentialValues,
  type FollowedCredentials,
} from '../provider-credentials/follow.ts';
import { poll } from '../poll.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { ReadOrderStore } from '../provider-credentials/read-orders-store.ts';

const EVERY_MS = 1_000;

export interface CredentialsOptions {
  readonly config: Config;
  readonly environment: Environment;
  readonly log: Logger;
  readonly onChanged: (values: CredentialValues) => void;
}

/** Follows the gateway's provider credentials. Their values stay in memory, in this process and the workers. */
export function startCredentials(options: CredentialsOptions): Promise<FollowedCredentials> {
  const { config, environment, log, onChanged } = options;
  return followCredentials({
    credentials: config.credentials,
    environment,
    onChanged,
    onSource: (credential, cause) => {
      if (cause === undefined) log.info({ credential }, 'a provider credential can be read again');
      else
        log.error(
          { credential, cause },
          'a provider credential cannot be read: its last value, if any, stays in use',
        );
    },
    onEnded: (credential) => {
      log.error(
        { credential },
        'a provider credential has reached its max_age or expired: requests that use it are refused',
      );
    },
  });
}

/** Returns the environment variables that contain credentials. Child processes must not inherit them. */
export function credentialVariables({ credentials }: Config): readonly string[] {
  return Object.values(credentials).flatMap(({ from }) => (from.env === undefined ? [] : [from.env]));
}

export interface CredentialOrdersOptions {
  readonly store: Pick<ReadOrderStore, 'orders'>;
  readonly credentials: Pick<FollowedCredentials, 'readAgain' | 'states'>;
}

/** Reloads credentials on orders from `gateway credentials rotate`. Orders wait while Redis is down. */
export function followCredentialOrders({ store, credentials }: CredentialOrdersOptions): { close(): void } {
  let seen: Readonly<Record<string, string>> | undefined;

  async function look(): Promise<void> {
    const orders = await store.orders().catch(() => undefined);
    if (orders === undefined) return;
    // Earlier orders can be ignored, because every source is read at start.
    for (const [name, id] of Object.entries(seen === undefined ? {} : orders)) {
      if (seen?.[name] !== id) credentials.readAgain(name);
    }
    seen = orders;
  }

  if (credentials.states().size === 0) return { close: () => undefined };
  return poll(look, EVERY_MS, 0);
}
