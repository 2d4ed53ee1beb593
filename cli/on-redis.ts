import type { Command } from 'commander';
import type { KeyRecord } from '../src/auth/key-record.ts';
import { operate, type Operations } from '../src/operate.ts';
import type { Io } from './command.ts';
import { loadedConfig } from './loaded-config.ts';

/** Does a command's work on the Redis of its configuration. */
export function onRedis<T>(
  command: Command,
  io: Io,
  work: (operations: Operations) => Promise<T>,
): Promise<T> {
  return operate(loadedConfig(command, io).config, work);
}

/** The same for one key, which its name, its hash or the beginning of that stands for. */
export function onKey<Result extends object>(
  command: Command,
  io: Io,
  reference: string,
  work: (operations: Operations, keyHash: string) => Promise<Result>,
): Promise<Result & { readonly record: KeyRecord }> {
  return onRedis(command, io, async (operations) => {
    const record = await operations.keys.find(reference);
    return { ...(await work(operations, record.keyHash)), record };
  });
}

/** Every key, page by page. */
export async function* allKeys({ keys }: Operations): AsyncGenerator<KeyRecord> {
  let after: string | undefined;
  do {
    const page = await keys.list(after);
    yield* page.keys;
    after = page.next;
  } while (after !== undefined);
}
