import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { GatewayError } from '../../errors.ts';

export interface KeySetOptions {
  readonly fetchKeys: () => Promise<JSONWebKeySet>;
  readonly onFetched?: (keys: number) => void;
  readonly onFailed?: (cause: unknown) => void;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** The issuer's public keys: cached, refreshed, and asked for anew where a token names one that is not among them. */
export interface KeySet {
  /**
   * The key of a token's header.
   * @throws JWKSNoMatchingKey, JWKSMultipleMatchingKeys, GatewayError gateway_unavailable where the keys are not known
   */
  readonly keyFor: JWTVerifyGetKey;
  /** Grows with each set that came: what was verified by an older one is to be verified again. */
  readonly generation: number;
  /** Reads them now; for a start. Never fails. */
  warm(): Promise<void>;
}

/** Keys older than this are read again, beside the requests that use them. */
const REFRESH_MS = 5 * 60_000;
/** Through an outage they are used for so long: a key that was withdrawn meanwhile may not live on for ever. */
const MAX_STALE_MS = 24 * 3_600_000;
/** Whatever tokens name, the issuer is not asked more often. */
const COOLDOWN_MS = 10_000;
/** Without any keys it is asked again sooner: every request is refused meanwhile. */
const EMPTY_COOLDOWN_MS = 1_000;

export function createKeySet(options: KeySetOptions): KeySet {
  const { fetchKeys, onFetched, onFailed, now = () => performance.now() } = options;
  let held: { readonly find: JWTVerifyGetKey; readonly at: number } | undefined;
  let generation = 0;
  let triedAt = -Infinity;
  let isFailing = false;
  let running: Promise<void> | undefined;

  /** One at a time, whoever asks; never rejects. */
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

  /** Resolves once a set that was asked for is there, or will not come now. */
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
        // A new key may be among those that could not be read.
        if (isFailing) throw keysUnknown();
        throw cause;
      }
    },
  };
}

function keysUnknown(): GatewayError {
  return new GatewayError(
    'gateway_unavailable',
    'JWTs cannot be verified, because zsp.jwks_url does not answer. Requests are refused until it does; ask the operator',
  );
}
