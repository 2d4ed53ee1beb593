import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';

import type { Environment } from '../config/environment.ts';

/** A private folder (0700) for the files of one run, such as sockets and the Envoy configuration. */
export interface RunDirectory {
  readonly path: string;
  file(name: string): string;
  remove(): Promise<void>;
}

/** `sun_path` holds 108 bytes on Linux and 104 elsewhere; file names have at most 20. */
const MAX_PATH_BYTES = 80;

/** Creates the folder in `$XDG_RUNTIME_DIR` or a temporary folder whose path is short enough for sockets. */
export async function createRunDirectory(environment: Environment): Promise<RunDirectory> {
  const runtimeDirectory = environment['XDG_RUNTIME_DIR'];
  const preferred = runtimeDirectory !== undefined && isAbsolute(runtimeDirectory) ? [runtimeDirectory] : [];
  let failure: unknown;
  for (const base of [...preferred, tmpdir(), '/tmp']) {
    if (Buffer.byteLength(base) > MAX_PATH_BYTES - '/gateway-XXXXXX'.length) continue;
    try {
      return runDirectory(await mkdtemp(join(base, 'gateway-')));
    } catch (error) {
      failure = error;
    }
  }
  throw new Error('found no folder for sockets: set TMPDIR to a writable folder with a short path', {
    cause: failure,
  });
}

function runDirectory(path: string): RunDirectory {
  return {
    path,
    file: (name) => join(path, name),
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** Creates the folder of a socket that is shared with another container. A new folder is private. */
export async function prepareSocketFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
