import type { Environment } from '../config/environment.ts';
import type { CredentialSettings } from '../config/sections/credentials.ts';
import { messageOf } from '../errors.ts';
import { poll } from '../poll.ts';
import { openSource } from './read-source.ts';
import type { ReadValue, Source } from './source.ts';

/** By credential name. */
export type CredentialValues = Readonly<Record<string, string>>;

/** Times are Unix ms. */
export interface CredentialState {
  readonly readAt: number | undefined;
  readonly failedAt: number | undefined;
  /** Why the source currently cannot be read. */
  readonly failure: string | undefined;
  readonly usable: boolean;
}

export interface FollowedCredentials {
  values(): CredentialValues;
  states(): ReadonlyMap<string, CredentialState>;
  /** Rereads the source within a second. Ignores unknown names. */
  readAgain(name: string): void;
  close(): void;
}

export interface FollowCredentialsOptions {
  readonly credentials: Readonly<Record<string, CredentialSettings>>;
  readonly environment: Environment;
  /** Called with all values when one changes. */
  readonly onChanged: (values: CredentialValues) => void;
  /** Called when a source starts to fail, and without a cause when it recovers. */
  readonly onSource: (name: string, cause: string | undefined) => void;
  /** Called when a credential reaches its `max_age` or expires before its source could be read again. */
  readonly onEnded: (name: string) => void;
  readonly everyMs?: number;
  readonly now?: () => number;
}

const EVERY_MS = 1_000;
/** Retry delay of all sources except variables and files. */
const RETRY_MS = 5_000;

/**
 * Reads all credentials, then follows their sources. After a failure, the last value is used until its `max_age` or
 * expiry.
 */
export async function followCredentials(options: FollowCredentialsOptions): Promise<FollowedCredentials> {
  const now = options.now ?? Date.now;
  const followed = Object.entries(options.credentials).map(([name, settings]) =>
    followOne(name, settings, options, now),
  );
  await Promise.all(followed.map((credential) => credential.look()));
  const valuesNow = (): CredentialValues =>
    Object.fromEntries(followed.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
  const polling = poll(async () => {
    const changes = await Promise.all(followed.map((credential) => credential.look()));
    if (changes.includes(true)) options.onChanged(valuesNow());
  }, options.everyMs ?? EVERY_MS);
  return {
    values: valuesNow,
    states: () => new Map(followed.map((credential) => [credential.name, credential.state()])),
    readAgain(name) {
      followed.find((credential) => credential.name === name)?.hurry();
    },
    close: polling.close,
  };
}

interface Followed {
  readonly name: string;
  readonly value: string | undefined;
  state(): CredentialState;
  hurry(): void;
  look(): Promise<boolean>;
}

function followOne(
  name: string,
  { from, max_age: maxAgeMs }: CredentialSettings,
  { environment, onSource, onEnded }: FollowCredentialsOptions,
  now: () => number,
): Followed {
  let source: Source | undefined;
  let value: string | undefined;
  let readAt: number | undefined;
  let endsAt = Infinity;
  let failedAt: number | undefined;
  let failure: string | undefined;
  let nextAt = 0;
  let isHurried = false;

  function failed(cause: string): void {
    if (failure === undefined) onSource(name, cause);
    failure = cause;
    failedAt = now();
    nextAt = from.env !== undefined || from.file !== undefined ? 0 : now() + RETRY_MS;
    if (value === undefined || now() < Math.min((readAt ?? 0) + maxAgeMs, endsAt)) return;
    value = undefined;
    onEnded(name);
  }

  function take({ value: fresh, againInMs, endsAt: end = Infinity }: ReadValue): void {
    if (failure !== undefined) onSource(name, undefined);
    failure = undefined;
    value = fresh;
    endsAt = end;
    readAt = now();
    nextAt = readAt + againInMs;
  }

  return {
    name,
    get value() {
      return value;
    },
    state: () => ({ readAt, failedAt, failure, usable: value !== undefined }),
    hurry() {
      isHurried = true;
    },
    async look() {
      if (!isHurried && now() < nextAt) return false;
      isHurried = false;
      const before = value;
      try {
        source ??= await openSource(from, environment);
        take(await source.read());
      } catch (cause) {
        failed(messageOf(cause));
      }
      return value !== before;
    },
  };
}
