import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Driven, DriveOptions } from './drive.ts';
import type { SurfaceName } from './surfaces/index.ts';

interface Said {
  readonly at: { readonly runs: number; readonly seed: number };
  readonly driven?: Driven;
}

/** A case that keeps the event loop for this long never ends. */
const SILENT_MS = 60_000;
const MAX_OUTPUT = 20_000;

/** Runs a surface in a process of its own. One that ends early or stands still is a failure, with its seed. */
export async function runChild(name: SurfaceName, options: DriveOptions): Promise<Driven> {
  const file = fileURLToPath(new URL('./child.ts', import.meta.url));
  const child = fork(file, [name, JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-MAX_OUTPUT)));
  let last: Said = { at: { runs: 0, seed: options.seed } };
  const kill = (): void => void child.kill('SIGKILL');
  let silence = setTimeout(kill, SILENT_MS);
  child.on('message', (said: Said) => {
    last = said;
    clearTimeout(silence);
    silence = setTimeout(kill, SILENT_MS);
  });
  const end = await new Promise<string>((resolve) => {
    child.once('close', (code, signal) => {
      resolve(signal === null ? `ended with ${String(code)}` : `was ended by ${signal} after a silence`);
    });
  });
  clearTimeout(silence);
  if (last.driven !== undefined) return last.driven;
  const { runs, seed } = last.at;
  const report = `the process ${end}, near case ${String(runs)}\n${output}`;
  return { runs, longestTurnMs: 0, found: { seed, path: '', report } };
}
