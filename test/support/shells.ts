import { globSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Environment } from '../../src/config/environment.ts';
import { unpackDebianPackages } from '../../src/runtime/debian-package.ts';
import { cacheDirectory, findOnPath, isExecutable } from '../../src/runtime/program.ts';

const PACKAGES = {
  bash: ['bash'],
  zsh: ['zsh', 'zsh-common'],
  fish: ['fish', 'fish-common'],
} as const;
export type ShellName = keyof typeof PACKAGES;

export interface FoundShell {
  readonly path: string;
  /** The environment that a shell from an unpacked package needs to find its own files. */
  readonly env: Readonly<Record<string, string>>;
  /** Commands that make it find its functions and modules. */
  readonly setUp: string;
}

/**
 * Finds a shell on PATH, or unpacks Debian's package into the per-user cache.
 * @throws MissingPartError with the remedy
 */
export async function findShell(
  name: ShellName,
  environment: Environment = process.env,
): Promise<FoundShell> {
  const onPath = await findOnPath(name, environment);
  if (onPath !== undefined) return { path: onPath, env: {}, setUp: '' };
  const home = join(await cacheDirectory(environment), `${name}-debian`);
  const path = (): string | undefined => globSync(`{usr/,}bin/${name}`, { cwd: home })[0];
  if (!(await isExecutable(join(home, path() ?? 'missing')))) {
    const remedy = `put ${name} on PATH (Debian: apt-get install ${name})`;
    await unpackDebianPackages({ title: name, names: PACKAGES[name], remedy }, home, environment, undefined);
  }
  const folders = (pattern: string): string =>
    globSync(pattern, { cwd: home })
      .map((one) => join(home, one))
      .join(' ');
  const libraries = folders('{usr/,}lib/*-linux-gnu').replaceAll(' ', ':');
  const setUp = {
    bash: '',
    zsh: `module_path=(${folders('usr/lib/*/zsh/*')}); fpath=(${folders('usr/share/zsh/functions/{,**/}')})\n`,
    fish: `set fish_function_path ${folders('usr/share/fish/functions')}\n`,
  };
  return { path: join(home, path() ?? ''), env: { LD_LIBRARY_PATH: libraries }, setUp: setUp[name] };
}

export interface Step {
  readonly keys: string;
  /** Ends the step once the screen shows it. */
  readonly until: string;
}

/** Types in a shell on a terminal, and returns the screen of each step. */
export function onTerminal(
  argv: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  steps: readonly Step[],
): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn('python3', [join(import.meta.dirname, 'press-keys.py')]);
    const parts: Buffer[] = [];
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.stderr.on('data', (part: Buffer) => parts.push(part));
    child.on('error', reject);
    child.on('close', (code) => {
      const text = Buffer.concat(parts).toString();
      if (code === 0) resolve(JSON.parse(text) as string[]);
      else reject(new Error(`python3 test/support/press-keys.py: ${text}`));
    });
    child.stdin.end(JSON.stringify({ argv, ...options, steps }));
  });
}
