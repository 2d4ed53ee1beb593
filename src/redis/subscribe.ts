import type { RedisClient } from './client.ts';

/** Requires a separate connection. Resolves once subscribed. Messages are lost while disconnected. */
export function subscribe(
  client: RedisClient,
  pattern: string,
  onMessage: (channel: string, message: string) => void,
): Promise<void> {
  client.on('pmessage', (_pattern: string, channel: string, message: string) => onMessage(channel, message));
  return new Promise((resolve) => {
    function ask(): void {
      // After a failure, the reconnect subscribes again.
      client.psubscribe(pattern).then(
        () => resolve(),
        () => undefined,
      );
    }
    if (client.status === 'ready') ask();
    client.on('ready', ask);
  });
}
