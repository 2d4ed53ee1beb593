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

/** Returns the limits of a worker with this many streams. Half of them are for requests whose bodies have arrived. */
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
   * @param key the raw key, if one was sent; counted before the look-up in Redis
   * @throws GatewayError rate_limited
   */
  claimKey(key: string): void;
  /** Allows a newer request to take the place from now on. */
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
 * Distributes the places of a worker. Requests that wait for their bodies have a separate limit, because headers alone
 * are cheap to send. If it is exceeded, the oldest request is dropped: a body that is being sent arrives quickly.
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
        'the request was sent without its body, and too many others are waiting for theirs: send it again',
      ),
    );
  }

  return {
    enter(clientAddress) {
      const address = addressGroup(clientAddress);
      if (!take(ofAddresses, address, maxPerAddress)) {
        throw tooMany('too many requests of this client address are open: wait for some of them to end');
      }
      let key: string | undefined;
      let hasLeft = false;
      const place: Place = {
        claimKey(claimed) {
          if (!take(ofKeys, claimed, maxPerKey)) {
            throw tooMany('too many requests of this key are open: wait for some of them to end');
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
