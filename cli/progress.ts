import type { Io } from './command.ts';

/** Shows progress on a terminal, unless the result is printed to the same terminal. */
export interface Progress {
  show(done: number): void;
  clear(): void;
}

const AFTER_MS = 1_000;
const EVERY_MS = 250;

/** @param unit such as `lines` */
export function createProgress({ stdout, stderr }: Io, unit: string): Progress {
  const isWatched = stderr.isTTY === true && stdout.isTTY !== true;
  let nextMs = performance.now() + AFTER_MS;
  let isShown = false;
  return {
    show(done) {
      if (!isWatched || performance.now() < nextMs) return;
      nextMs = performance.now() + EVERY_MS;
      stderr.write(`\r${done.toLocaleString('en')} ${unit}`);
      isShown = true;
    },
    clear() {
      if (isShown) stderr.write('\r\u001b[K');
    },
  };
}
