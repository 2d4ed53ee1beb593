import { parsedJson } from '../../json/parsed.ts';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { readClock } from '../../redis/clock.ts';
import { GATEWAYS } from '../../redis/keys.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import { gateway, type GatewayState } from '../api/schemas/traffic.ts';
import { GATEWAY_LIFE_MS } from './announcement-store.ts';

const announced = gateway.omit({ seen_at: true });

/** Running gateways, by their announcements. Failures throw `redis_unavailable`. */
export interface GatewayStore {
  /** Sorted by host and id. */
  list(): Promise<readonly GatewayState[]>;
}

export function createGatewayStore({ client, deadlineMs }: RedisStoreOptions): GatewayStore {
  return {
    list: () =>
      withRedisDeadline(deadlineMs, async () => {
        const [texts, now] = await Promise.all([client.hgetall(GATEWAYS), readClock(client)]);
        return Object.values(texts)
          .flatMap((text) => read(text, now))
          .toSorted((one, other) => (one.host + one.id < other.host + other.id ? -1 : 1));
      }),
  };
}

/** Returns an empty list for a gateway that has stopped, or whose announcement has another format. */
function read(text: string, now: number): GatewayState[] {
  const space = text.indexOf(' ');
  const seenAt = Number(text.slice(0, space));
  const state = announced.safeParse(parsedJson(text.slice(space + 1)));
  if (!state.success || !(seenAt > now - GATEWAY_LIFE_MS)) return [];
  return [{ ...state.data, seen_at: new Date(seenAt).toISOString() }];
}
