import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The canned provider (canned-provider.ts) in its own process, so that it uses none of the test's time. */
export interface CannedProvider {
  readonly url: string;
  /** Ends the streams of a provider that holds them. */
  end(): void;
  close(): void;
}

export async function startCannedProvider(...args: readonly 'held'[]): Promise<CannedProvider> {
  const child = fork(join(import.meta.dirname, 'canned-provider.ts'), args);
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${String(port)}`,
    end: () => void child.send('end'),
    close: () => child.disconnect(),
  };
}
