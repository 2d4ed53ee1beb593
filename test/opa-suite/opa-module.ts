import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readZip, type ZipFile } from './zip.ts';

const OPA = 'github.com/open-policy-agent/opa';
const ENGINE = join(import.meta.dirname, '../../policies/engine');
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/opa-suite');
const CASES = 'v1/test/cases/testdata';
const MAX_DOWNLOAD_MS = 300_000;

/** Returns the folder with OPA's cases (`v0`, `v1`), for the OPA version of the engine. */
export async function suiteFolder(): Promise<string> {
  const version = /github\.com\/open-policy-agent\/opa (v\S+)/u.exec(readEngineFile('go.mod'))?.[1];
  if (version === undefined) throw new Error('policies/engine/go.mod does not say which OPA it takes');
  return join(goModule(version) ?? (await downloaded(version)), CASES);
}

/** Fetches the module with the go command, which checks it against go.sum. Returns undefined without Go. */
function goModule(version: string): string | undefined {
  try {
    const told = execFileSync('go', ['mod', 'download', '-json', `${OPA}@${version}`], {
      cwd: ENGINE,
      encoding: 'utf8',
      timeout: MAX_DOWNLOAD_MS,
    });
    return (JSON.parse(told) as { Dir: string }).Dir;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`go mod download does not give ${OPA}@${version}`, { cause });
  }
}

async function downloaded(version: string): Promise<string> {
  const folder = join(CACHE, version);
  if (existsSync(folder)) return folder;
  const answer = await fetch(`https://proxy.golang.org/${OPA}/@v/${version}.zip`, {
    signal: AbortSignal.timeout(MAX_DOWNLOAD_MS),
  });
  if (!answer.ok) throw new Error(`proxy.golang.org answers ${answer.status} for ${OPA}@${version}`);
  const files = readZip(Buffer.from(await answer.arrayBuffer()));
  checkSum(files, version);
  const part = `${folder}.${process.pid}`;
  for (const { name, bytes } of files) {
    const inside = name.slice(`${OPA}@${version}/`.length);
    if (!inside.startsWith(`${CASES}/`) || inside.includes('..')) continue;
    mkdirSync(join(part, dirname(inside)), { recursive: true });
    writeFileSync(join(part, inside), bytes);
  }
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
  return folder;
}

/** Returns Go's "h1" sum of a module (golang.org/x/mod/sumdb/dirhash): a digest of the list of its files' digests. */
function checkSum(files: readonly ZipFile[], version: string): void {
  const lines = files
    .map(({ name, bytes }) => ({ name, line: `${digest(bytes).digest('hex')}  ${name}\n` }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    .map(({ line }) => line);
  const sum = `${OPA} ${version} h1:${digest(lines.join('')).digest('base64')}`;
  if (!readEngineFile('go.sum').split('\n').includes(sum))
    throw new Error(`${OPA}@${version} as downloaded is not the one of policies/engine/go.sum`);
}

function digest(bytes: Buffer | string) {
  return createHash('sha256').update(bytes);
}

function readEngineFile(name: string): string {
  return readFileSync(join(ENGINE, name), 'utf8');
}
