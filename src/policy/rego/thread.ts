/**
 * A thread with one OPA and one set of policies in it, apart from the event loop that carries traffic. Whoever
 * started it watches its time and ends it; it never says more than its replies.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { ThreadData, ThreadReply } from './thread-messages.ts';

/** What Go's WebAssembly runtime (wasm_exec.js) leaves on the global object. */
interface GoRuntime {
  readonly importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** What policies/engine leaves there. */
interface EngineFunctions {
  compile(request: string): string;
  evaluate(input: string, limitMs: number): string;
}

interface EngineGlobals {
  Go: new () => GoRuntime;
  regoEngine: EngineFunctions;
  fs: unknown;
}

const globals = globalThis as unknown as EngineGlobals;

/** Go's dying words could quote an input: they are taken, and not written anywhere. */
function silence(): void {
  const refuse = (...args: unknown[]): void => {
    const done = args.at(-1);
    if (typeof done === 'function')
      done(Object.assign(new Error('there are no files here'), { code: 'ENOSYS' }));
  };
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

async function start({ module, request, evaluationMs }: ThreadData): Promise<void> {
  silence();
  await import(new URL('../../../policies/engine/wasm_exec.js', import.meta.url).href);
  const go = new globals.Go();
  const ended = go.run(await WebAssembly.instantiate(module, go.importObject));
  void ended.then(() => process.exit(1));
  const { compile, evaluate } = globals.regoEngine;
  const post = (reply: string): void => parentPort?.postMessage(JSON.parse(reply) as ThreadReply);
  post(compile(request));
  parentPort?.on('message', (input: string) => post(evaluate(input, evaluationMs)));
}

await start(workerData as ThreadData);
