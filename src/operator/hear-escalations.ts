import type { Config } from '../config/schema.ts';
import { parseEscalationEvent } from '../escalation/escalation.ts';
import { connectRedis, waitUntilReady, type RedisClient } from '../redis/client.ts';
import { ESCALATION_REQUESTS } from '../redis/keys.ts';
import { hear } from '../redis/subscribe.ts';
import type { HearEscalations } from './answer-escalation.ts';

/** Subscribes to approval events, with one connection per subscription. */
export interface EscalationListeners {
  readonly hearEscalations: HearEscalations;
  /** Ends all remaining subscriptions. */
  close(): void;
}

export function createEscalationListeners(redis: Config['redis'], name: string): EscalationListeners {
  const listeners = new Set<RedisClient>();
  return {
    async hearEscalations(onEvent) {
      const listener = connectRedis(redis, { name, mayBeSilent: true });
      listeners.add(listener);
      function end(): void {
        listener.disconnect();
        listeners.delete(listener);
      }
      try {
        const subscribed = hear(listener, ESCALATION_REQUESTS, (_channel, message) => {
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
