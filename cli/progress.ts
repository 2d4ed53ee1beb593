import type { Io } from './command.ts';

/** Shows progress on a terminal, if it does not mix with the printed result. */
export interface Progress {
  show(done: number): void;
  clear(): void;
}

const AFTER_MS = 1_000;
const EVERY_MS = 250;

/** @param what the counted things, such as `lines` */
export function createProgress({ stdout, stderr }: Io, what: string): Progress {
  const watched = stderr.isTTY === true && stdout.isTTY !== true;
  let nextMs = performance.now() + AFTER_MS;
  let shown = false;
  return {
    show(done) {
      if (!watched || performance.now() < nextMs) return;
      nextMs = performance.now() + EVERY_MS;
      stderr.write(`\r${done.toLocaleString('en')} ${what}`);
      shown = true;
    },
    clear() {
      if (shown) stderr.write('\r\u001b[K');
    },
  };
}
