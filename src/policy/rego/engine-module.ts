import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

const ENGINE = new URL('../../../policies/engine/engine.wasm.br', import.meta.url);

let compiled: Promise<WebAssembly.Module> | undefined;

/** OPA as WebAssembly (policies/engine), unpacked and compiled once a process; nothing of it is there before. */
export function engineModule(): Promise<WebAssembly.Module> {
  compiled ??= unpack();
  return compiled;
}

async function unpack(): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await promisify(brotliDecompress)(await readFile(ENGINE)));
}
