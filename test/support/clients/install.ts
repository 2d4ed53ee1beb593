import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
  cacheDirectory,
  findOnPath,
  lastLine,
  MissingPartError,
  runFile,
} from '../../../src/runtime/program.ts';
import type { Environment } from '../../../src/config/environment.ts';
import { underLock } from './machine-lock.ts';
import { clientTitle, type ClientKind, type ClientRecipe } from './recipe.ts';

/** An installed client in the cache, ready to run. */
export interface InstalledClient {
  readonly recipe: ClientRecipe;
  /** Its folder, which contains `node_modules`, `venv` or `go.mod`. */
  readonly home: string;
}

/** The program that installs and runs each kind. */
const TOOLS: Readonly<Record<ClientKind, string>> = { npm: 'npm', pypi: 'python3', go: 'go' };

/** Written last: a folder without it is left from an interrupted install. */
const STAMP = 'installed.json';

const INSTALL_WITHIN_MS = 900_000;

/** Returns why clients of this kind cannot run here, in one sentence; undefined if they can. */
export async function missingTool(kind: ClientKind, environment: Environment): Promise<string | undefined> {
  const tool = TOOLS[kind];
  if ((await findOnPath(tool, environment)) !== undefined) return undefined;
  return `there is no ${tool} on PATH, which clients from ${kind} need`;
}

/**
 * Installs the client once per user into `~/.cache/ai-firewall-gateway/clients/<kind>/<name>@<version>`. A simultaneous
 * caller waits.
 * @throws MissingPartError naming what failed
 */
export async function installClient(
  recipe: ClientRecipe,
  environment: Environment = process.env,
): Promise<InstalledClient> {
  const clients = join(await cacheDirectory(environment), 'clients');
  const home = join(clients, recipe.kind, `${recipe.name}@${recipe.version}`);
  const wanted = `${JSON.stringify(recipe)}\n`;
  if (await isInstalled(home, wanted)) return { recipe, home };
  const missing = await missingTool(recipe.kind, environment);
  if (missing !== undefined) throw new MissingPartError(missing);
  await underLock(home, async () => {
    if (await isInstalled(home, wanted)) return;
    process.stderr.write(`Installing ${clientTitle(recipe)} …\n`);
    await rm(home, { recursive: true, force: true });
    await mkdir(home, { recursive: true });
    await INSTALLERS[recipe.kind](recipe, home);
    await writeFile(join(home, STAMP), wanted);
    process.stderr.write(`${clientTitle(recipe)} is installed\n`);
  });
  return { recipe, home };
}

async function isInstalled(home: string, wanted: string): Promise<boolean> {
  return (await readFile(join(home, STAMP), 'utf8').catch(() => '')) === wanted;
}

const INSTALLERS: Readonly<Record<ClientKind, (recipe: ClientRecipe, home: string) => Promise<void>>> = {
  async npm(recipe, home) {
    // Otherwise npm looks for a project in the folders above.
    const project = { private: true, overrides: recipe.overrides };
    await writeFile(join(home, 'package.json'), `${JSON.stringify(project)}\n`);
    const packages = [`${recipe.name}@${recipe.version}`, ...recipe.with];
    const scripts = recipe.installScripts === true ? [] : ['--ignore-scripts'];
    const quiet = ['--no-audit', '--no-fund', '--loglevel', 'error'];
    await step(recipe, 'npm', ['install', '--save-exact', ...quiet, ...scripts, ...packages], home);
  },
  async pypi(recipe, home) {
    // Debian has venv's pip in a separate package; the machine's pip works as well.
    await step(recipe, 'python3', ['-m', 'venv', '--without-pip', 'venv'], home);
    const pip = ['-m', 'pip', '--python', join(home, 'venv', 'bin', 'python'), 'install'];
    const quiet = ['--no-input', '--disable-pip-version-check', '--quiet'];
    const packages = [`${recipe.name}==${recipe.version}`, ...recipe.with];
    await step(recipe, 'python3', [...pip, ...quiet, ...packages], home);
  },
  async go(recipe, home) {
    await step(recipe, 'go', ['mod', 'init', 'client'], home);
    const modules = [`${recipe.name}@${recipe.version}`, ...recipe.with];
    await step(recipe, 'go', ['get', ...modules], home);
    // Compiled into Go's cache now, or the first program that uses it would pay for that.
    await step(recipe, 'go', ['build', '-mod=mod', recipe.name], home);
  },
};

async function step(recipe: ClientRecipe, program: string, args: string[], cwd: string): Promise<void> {
  const result = await runFile(program, args, { cwd, timeoutMs: INSTALL_WITHIN_MS, env: process.env });
  if (result.ok) return;
  throw new MissingPartError(
    `${clientTitle(recipe)} could not be installed: ${program} says ${complaint(result.stderr)}`,
  );
}

/** The error of a program: npm's first message that is not a code, else the last line. */
export function complaint(stderr: string): string {
  const [, npms] = /^npm error (?!code |syscall |errno )(\S.*)$/m.exec(stderr) ?? [];
  return npms?.slice(0, 300) ?? lastLine(stderr);
}
