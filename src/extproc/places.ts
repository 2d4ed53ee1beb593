import { addressGroup } from '../address-counts.ts';
import type { Config } from '../config/schema.ts';
import { GatewayError, retryAfter } from '../errors.ts';

export interface PlaceLimits {
  /** Maximum number of open requests per key (`server.max_open_per_key`). */
  readonly maxPerKey: number;
  /** Maximum number of open requests per client address, over all keys (`server.max_open_per_address`). */
  readonly maxPerAddress: number;
  readonly maxAwaitingBody: number;
}

/** Returns the limits of a worker. Half of its streams are reserved for requests whose bodies have arrived. */
export function placeLimits(
  { max_open_per_key, max_open_per_address }: Config['server'],
  maxOpenStreams: number,
): PlaceLimits {
  return {
    maxPerKey: max_open_per_key,
    maxPerAddress: max_open_per_address,
    maxAwaitingBody: maxOpenStreams / 2,
  };
}

export interface Place {
  /**
   * Counts the request for its key.
   * @param key the raw key (counted before it is looked up), or the key hash for a JWT
   * @throws GatewayError rate_limited
   */
  claimKey(key: string): void;
  /** From now on, a newer request may take this place. */
  awaitBody(onTakenAway: (refusal: GatewayError) => void): void;
  bodyCame(): void;
  leave(): void;
}

export interface Places {
  /** @throws GatewayError rate_limited */
  enter(clientAddress: string): Place;
}

const RETRY_MS = 1_000;

/**
 * Manages a worker's places. Requests that wait for their bodies have a separate limit, because headers alone are cheap
 * to send. Above the limit, the oldest request is refused, because a body that is being sent arrives quickly.
 */
export function createPlaces({ maxPerKey, maxPerAddress, maxAwaitingBody }: PlaceLimits): Places {
  const ofAddresses = new Map<string, number>();
  const ofKeys = new Map<string, number>();
  const awaitingBody = new Map<Place, (refusal: GatewayError) => void>();

  function takeOldestAway(): void {
    const [oldest] = awaitingBody;
    if (oldest === undefined) return;
    const [place, onTakenAway] = oldest;
    awaitingBody.delete(place);
    onTakenAway(
      tooMany(
        'too many requests are waiting for their bodies, and this one has waited longest: send it again',
      ),
    );
  }

  return {
    enter(clientAddress) {
      const address = addressGroup(clientAddress);
      if (!take(ofAddresses, address, maxPerAddress)) {
        throw tooMany('this client address has too many open requests: wait for some to end');
      }
      let key: string | undefined;
      let hasLeft = false;
      const place: Place = {
        claimKey(claimed) {
          if (!take(ofKeys, claimed, maxPerKey)) {
            throw tooMany('this key has too many open requests: wait for some to end');
          }
          key = claimed;
        },
        awaitBody(onTakenAway) {
          awaitingBody.set(place, onTakenAway);
          if (awaitingBody.size > maxAwaitingBody) takeOldestAway();
        },
        bodyCame: () => void awaitingBody.delete(place),
        leave() {
          if (hasLeft) return;
          hasLeft = true;
          awaitingBody.delete(place);
          giveBack(ofAddresses, address);
          if (key !== undefined) giveBack(ofKeys, key);
        },
      };
      return place;
    },
  };
}

/** Returns false if all places are taken. */
function take(counts: Map<string, number>, name: string, max: number): boolean {
  const taken = counts.get(name) ?? 0;
  if (taken >= max) return false;
  counts.set(name, taken + 1);
  return true;
}

function giveBack(counts: Map<string, number>, name: string): void {
  const taken = counts.get(name) ?? 0;
  if (taken > 1) counts.set(name, taken - 1);
  else counts.delete(name);
}

function tooMany(message: string): GatewayError {
  return new GatewayError('rate_limited', message, { headers: retryAfter('rate_limited', RETRY_MS) });
}
