/** Go's WebAssembly runtime (wasm_exec.js). */
interface GoRuntime {
  readonly importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
  exit: (code: number) => void;
}

/** Functions that policies/engine exports. They return JSON. */
export interface EngineFunctions {
  compile(request: string): string;
  evaluate(input: string, limitMs: number): string;
}

export interface LoadedEngine extends EngineFunctions {
  /** Resolves when the engine has stopped permanently. */
  readonly ended: Promise<void>;
}

interface EngineGlobals {
  Go: new () => GoRuntime;
  regoEngine: EngineFunctions;
  fs: unknown;
  fetch: unknown;
}

const globals = globalThis as unknown as EngineGlobals;

/** Creates an engine on the global object of this thread. Each thread can have only one. */
export async function loadEngine(module: WebAssembly.Module): Promise<LoadedEngine> {
  silence();
  // Go's HTTP client would use fetch, which Rego functions must not reach.
  globals.fetch = undefined;
  await import(new URL('../../../policies/engine/wasm_exec.js', import.meta.url).href);
  const go = new globals.Go();
  go.exit = () => undefined;
  const ended = go.run(await WebAssembly.instantiate(module, go.importObject));
  const { compile, evaluate } = globals.regoEngine;
  return { compile, evaluate, ended };
}

/** Discards the output of Go panics, which may quote an input. */
function silence(): void {
  function refuse(...args: unknown[]): void {
    const done = args.at(-1);
    if (typeof done === 'function') done(Object.assign(new Error('no file system'), { code: 'ENOSYS' }));
  }
  const own = {
    constants: {
      O_WRONLY: -1,
      O_RDWR: -1,
      O_CREAT: -1,
      O_TRUNC: -1,
      O_APPEND: -1,
      O_EXCL: -1,
      O_DIRECTORY: -1,
    },
    writeSync: (_fd: number, bytes: Uint8Array): number => bytes.length,
    write: (_fd: number, bytes: Uint8Array, ...rest: unknown[]): void => {
      const done = rest.at(-1);
      if (typeof done === 'function') done(null, bytes.length);
    },
  };
  globals.fs = new Proxy(own, { get: (target, name) => Reflect.get(target, name) ?? refuse });
}
