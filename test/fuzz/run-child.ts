import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Driven, DriveOptions } from './drive.ts';
import type { SurfaceName } from './surfaces/index.ts';

interface Said {
  readonly at: { readonly name: SurfaceName; readonly runs: number; readonly seed: number };
  readonly driven?: Driven;
}

/** A case that blocks the event loop for this long never ends. */
const SILENT_MS = 60_000;
const MAX_OUTPUT = 20_000;

/**
 * Runs surfaces in a separate process. If it ends early or hangs, the current surface has failed,
 * with its seed; those after it are missing.
 */
export async function runChild(
  names: readonly SurfaceName[],
  options: DriveOptions,
): Promise<ReadonlyMap<SurfaceName, Driven>> {
  const file = fileURLToPath(new URL('./child.ts', import.meta.url));
  const child = fork(file, [names.join(), JSON.stringify(options)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-MAX_OUTPUT)));
  const results = new Map<SurfaceName, Driven>();
  let last: Said['at'] | undefined;
  const kill = (): void => void child.kill('SIGKILL');
  let silence = setTimeout(kill, SILENT_MS);
  child.on('message', ({ at, driven }: Said) => {
    last = at;
    if (driven !== undefined) results.set(at.name, driven);
    clearTimeout(silence);
    silence = setTimeout(kill, SILENT_MS);
  });
  const end = await new Promise<string>((resolve) => {
    child.once('close', (code, signal) => {
      resolve(signal === null ? `ended with ${String(code)}` : `was ended by ${signal} after a silence`);
    });
  });
  clearTimeout(silence);
  const [missing] = names.filter((name) => !results.has(name));
  if (missing !== undefined) {
    const { runs, seed } = last?.name === missing ? last : { runs: 0, seed: options.seed };
    const report = `the process ${end}, near case ${String(runs)}\n${output}`;
    results.set(missing, { runs, longestTurnMs: 0, found: { seed, path: '', report } });
  }
  return results;
}
