import { createHash } from 'node:crypto';
import { copyFile, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { isExecutable, runFile } from '../../../src/runtime/program.ts';
import type { InstalledClient } from './install.ts';
import { inTemporaryFolder, runProgram, type ProgramOptions, type ProgramResult } from './run-program.ts';

const BUILD_WITHIN_MS = 600_000;

/**
 * Runs a program in the client's own language with the client available: an ES module under Node, a Python file in
 * its venv, a Go `main` package, which may have a second file.
 */
export function runScript(
  client: InstalledClient,
  source: string,
  { goFrame, ...options }: Omit<ProgramOptions, 'cwd'> & { readonly goFrame?: string | undefined } = {},
): Promise<ProgramResult> {
  return inTemporaryFolder(async (folder) => {
    const [file, ...args] = await prepare(client, { source, goFrame }, folder);
    return runProgram(file, args, { ...options, cwd: folder });
  });
}

/** The full path of a program installed with the client: `claude`, `aider`. */
export function clientProgram({ recipe, home }: InstalledClient, name: string): string {
  switch (recipe.kind) {
    case 'npm':
      return join(home, 'node_modules', '.bin', name);
    case 'pypi':
      return join(home, 'venv', 'bin', name);
    case 'go':
      throw new Error('a Go module brings no programs here');
  }
}

/** The command that runs the source. */
async function prepare(
  client: InstalledClient,
  { source, goFrame }: { readonly source: string; readonly goFrame: string | undefined },
  folder: string,
): Promise<readonly [string, ...string[]]> {
  const { recipe, home } = client;
  switch (recipe.kind) {
    case 'npm':
      await symlink(join(home, 'node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'main.mjs'), source);
      return [process.execPath, 'main.mjs'];
    case 'pypi':
      await writeFile(join(folder, 'main.py'), source);
      return [join(home, 'venv', 'bin', 'python'), 'main.py'];
    case 'go':
      return [
        await goProgram(
          client,
          { 'main.go': source, ...(goFrame !== undefined && { 'frame.go': goFrame }) },
          folder,
        ),
      ];
  }
}

/** Built once for each text of its files: compiling a client takes longer than its calls. */
async function goProgram(
  { home }: InstalledClient,
  files: Readonly<Record<string, string>>,
  folder: string,
): Promise<string> {
  const programs = join(home, 'programs');
  const program = join(programs, createHash('sha256').update(Object.values(files).join('\0')).digest('hex'));
  if (await isExecutable(program)) return program;
  for (const name of ['go.mod', 'go.sum']) await copyFile(join(home, name), join(folder, name));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await mkdir(programs, { recursive: true });
  const staging = `${program}.${String(process.pid)}`;
  const env = { ...process.env, GOFLAGS: '-mod=mod' };
  const built = await runFile('go', ['build', '-o', staging, '.'], {
    cwd: folder,
    timeoutMs: BUILD_WITHIN_MS,
    env,
  });
  if (!built.ok) throw new Error(`the Go program does not build:\n${built.stderr}`);
  await rename(staging, program);
  return program;
}
