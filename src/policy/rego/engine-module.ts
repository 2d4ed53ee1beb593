import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

const ENGINE = new URL('../../../policies/engine/engine.wasm.br', import.meta.url);

/** OPA as WebAssembly (policies/engine), unpacked and compiled once a process; nothing of it is there before. */
export const engineModule = onceItWorks(async () =>
  WebAssembly.compile(await promisify(brotliDecompress)(await readFile(ENGINE))),
);

/** `make`, called until it succeeds and never again; those who ask meanwhile wait for the same attempt. */
export function onceItWorks<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    const attempt = (made ??= make());
    attempt.catch(() => {
      if (made === attempt) made = undefined;
    });
    return attempt;
  };
}
