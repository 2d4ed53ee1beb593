import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { GatewayError } from '../../errors.ts';

export interface KeySetOptions {
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  readonly onFetched?: (keys: number) => void;
  readonly onFailed?: (cause: unknown) => void;
  readonly now?: () => number;
}

/** The issuer's public keys: cached, refreshed, and fetched again for a token with an unknown key. */
export interface KeySet {
  /**
   * Returns the key for a token header.
   * @throws JWKSNoMatchingKey, JWKSMultipleMatchingKeys, or GatewayError gateway_unavailable if there are no keys, or
   * if fetching an unknown key fails
   */
  readonly keyFor: JWTVerifyGetKey;
  /** Increases with each fetched set, after which tokens must be verified again. */
  readonly generation: number;
  /** Fetches the keys. Never rejects. */
  warm(): Promise<void>;
}

const REFRESH_MS = 5 * 60_000;
/** Limits use during an outage, because keys may have been revoked in the meantime. */
const MAX_STALE_MS = 24 * 3_600_000;
const COOLDOWN_MS = 10_000;
/** Cooldown while there are no keys and every JWT is refused. */
const EMPTY_COOLDOWN_MS = 1_000;

export function createKeySet(options: KeySetOptions): KeySet {
  const { fetchKeys, onFetched, onFailed, now = () => performance.now() } = options;
  let held: { readonly find: JWTVerifyGetKey; readonly at: number } | undefined;
  let generation = 0;
  let triedAt = -Infinity;
  let isFailing = false;
  let running: Promise<void> | undefined;

  /** Shared by all callers; never rejects. */
  function refresh(): Promise<void> {
    return (running ??= load().finally(() => (running = undefined)));
  }

  async function load(): Promise<void> {
    triedAt = now();
    try {
      const set = await fetchKeys();
      held = { find: createLocalJWKSet(set), at: now() };
      generation += 1;
      isFailing = false;
      onFetched?.(set.keys.length);
    } catch (cause) {
      isFailing = true;
      onFailed?.(cause);
    }
  }

  /** Joins a running fetch, or starts one unless the last one began within the cooldown. */
  async function refreshUnlessJustTried(cooldownMs: number): Promise<void> {
    if (running !== undefined || now() - triedAt >= cooldownMs) await refresh();
  }

  function inForce(): JWTVerifyGetKey | undefined {
    return held !== undefined && now() - held.at < MAX_STALE_MS ? held.find : undefined;
  }

  async function usable(): Promise<JWTVerifyGetKey> {
    if (inForce() === undefined) await refreshUnlessJustTried(EMPTY_COOLDOWN_MS);
    else if (held !== undefined && now() - held.at >= REFRESH_MS && now() - triedAt >= COOLDOWN_MS) {
      void refresh();
    }
    const find = inForce();
    if (find === undefined) throw keysUnknown();
    return find;
  }

  return {
    get generation() {
      return generation;
    },
    warm: refresh,
    async keyFor(header, token) {
      const find = await usable();
      try {
        return await find(header, token);
      } catch (cause) {
        if (!(cause instanceof errors.JWKSNoMatchingKey)) throw cause;
        await refreshUnlessJustTried(COOLDOWN_MS);
        const newer = inForce() ?? find;
        if (newer !== find) return newer(header, token);
        // The newest set may contain the key but cannot be fetched.
        if (isFailing) throw keysUnknown();
        throw cause;
      }
    },
  };
}

function keysUnknown(): GatewayError {
  return new GatewayError(
    'gateway_unavailable',
    'JWTs cannot be verified, because the keys at zsp.jwks_url cannot be fetched. Requests with a JWT are refused meanwhile; ask the operator',
  );
}
