import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

const ENGINE = new URL('../../../policies/engine/engine.wasm.br', import.meta.url);

/** OPA as WebAssembly (policies/engine), unpacked and compiled on demand, once per process. */
export const engineModule = onceItWorks(async () =>
  WebAssembly.compile(await promisify(brotliDecompress)(await readFile(ENGINE))),
);

/** Calls `make` until it succeeds; concurrent callers share an attempt. */
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
