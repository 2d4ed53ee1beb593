import type { Config } from '../config/schema.ts';
import { parseEscalationEvent } from '../escalation/escalation.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../redis/client.ts';
import { ESCALATION_REQUESTS } from '../redis/keys.ts';
import { subscribe } from '../redis/subscribe.ts';
import type { WatchEscalations } from './answer-escalation.ts';

/** Subscriptions to approval events, each on its own connection. */
export interface EscalationListeners {
  readonly watchEscalations: WatchEscalations;
  close(): void;
}

export function createEscalationListeners(redis: Config['redis'], name: string): EscalationListeners {
  const listeners = new Set<RedisClient>();
  return {
    async watchEscalations(onEvent) {
      const listener = connectRedis(redis, { name, mayBeSilent: true });
      listeners.add(listener);
      function end(): void {
        listener.disconnect();
        listeners.delete(listener);
      }
      try {
        const subscribed = subscribe(listener, ESCALATION_REQUESTS, (_channel, message) => {
          const event = parseEscalationEvent(message);
          if (event !== undefined) onEvent(event);
        });
        await waitUntilReady(listener, redis.dial_timeout);
        await subscribed;
        return end;
      } catch (error) {
        end();
        throw error;
      }
    },
    close: () => {
      for (const listener of listeners) listener.disconnect();
      listeners.clear();
    },
  };
}
