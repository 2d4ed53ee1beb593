import type { RedisClient } from './client.ts';

/**
 * Subscribes to a pattern on a connection of its own; resolves once subscribed for the first time. Messages are lost
 * while the connection is away.
 */
export function hear(
  client: RedisClient,
  pattern: string,
  onMessage: (channel: string, message: string) => void,
): Promise<void> {
  client.on('pmessage', (_pattern: string, channel: string, message: string) => onMessage(channel, message));
  return new Promise((resolve) => {
    function ask(): void {
      // A failure means that the connection is lost; the reconnect subscribes again.
      client.psubscribe(pattern).then(
        () => resolve(),
        () => undefined,
      );
    }
    if (client.status === 'ready') ask();
    client.on('ready', ask);
  });
}
