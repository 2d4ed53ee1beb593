import type { Command } from 'ioredis';
import type { RedisClient } from './client.ts';

/** Called for each command sent. May return a callback, which is called when the command is answered or fails. */
export type OnCommand = (name: string) => ((failed: boolean) => void) | undefined;

export function watchCommands(client: RedisClient, onCommand: OnCommand): void {
  const send = client.sendCommand.bind(client) as (command: Command, ...more: unknown[]) => unknown;
  client.sendCommand = (command: Command, ...more: unknown[]): unknown => {
    const done = onCommand(command.name);
    const sent = send(command, ...more);
    if (done !== undefined) {
      command.promise.then(
        () => done(false),
        () => done(true),
      );
    }
    return sent;
  };
}
