import { keepComplete } from '../../auth/use-order.ts';
import type { RedisStoreOptions } from '../../redis/client.ts';
import { GATEWAY_ENDS, GATEWAYS } from '../../redis/keys.ts';
import { loadScript } from '../../redis/script.ts';
import { withRedisDeadline } from '../../redis/unavailable.ts';
import type { GatewayState } from '../api/schemas/traffic.ts';

const announceScript = loadScript(new URL('./announce-gateway.lua', import.meta.url));

/** Time without an announcement after which a gateway is considered gone. */
export const GATEWAY_LIFE_MS = 15_000;
const MAX_GATEWAYS = 1_000;

/** A gateway's announcement; Redis adds the time. */
export type Announced = Omit<GatewayState, 'seen_at'>;

/**
 * Stores announcements and keeps the order of use complete (use-order.ts). Must import little, because the supervisor
 * loads this file. Failures throw `redis_unavailable`.
 */
export interface AnnouncementStore {
  announce(state: Announced): Promise<void>;
  leave(id: string): Promise<void>;
}

export function createAnnouncementStore({ client, deadlineMs }: RedisStoreOptions): AnnouncementStore {
  const send = (id: string, text: string): Promise<void> =>
    withRedisDeadline(deadlineMs, async () => {
      await Promise.all([
        announceScript.run(client, [GATEWAYS, GATEWAY_ENDS], [id, GATEWAY_LIFE_MS, MAX_GATEWAYS, text]),
        keepComplete(client),
      ]);
    });
  return { announce: (state) => send(state.id, JSON.stringify(state)), leave: (id) => send(id, '') };
}
