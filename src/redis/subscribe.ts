import type { RedisClient } from './client.ts';

/**
 * Hears what is published on the channels of a pattern, on a connection that does nothing else; resolves once it does so
 * for the first time. What is published while the connection is away is heard by nobody.
 */
export function hear(
  client: RedisClient,
  pattern: string,
  onMessage: (channel: string, message: string) => void,
): Promise<void> {
  client.on('pmessage', (_pattern: string, channel: string, message: string) => onMessage(channel, message));
  return new Promise((resolve) => {
    function ask(): void {
      // Where it fails the connection is lost, and asks again when it is back.
      client.psubscribe(pattern).then(
        () => resolve(),
        () => undefined,
      );
    }
    if (client.status === 'ready') ask();
    client.on('ready', ask);
  });
}
