import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
/** One place, so that compiled code that is kept by the name of its file is found by the next build too. */
const HOME = join(ROOT, 'node_modules', '.cache', 'gateway');
const BUILT_FROM = 'built-from.txt';
const SOURCES = [
  '{src,cli}/**/*.{ts,lua}',
  'page/**/*.*',
  'policies/{presets,engine}/*',
  'build*.ts',
  'package*.json',
  'tsconfig.json',
];

/** The program as users install it; built from the sources as they are, unless that was done already. */
export async function builtGateway(): Promise<string> {
  const program = join(HOME, 'dist', 'cli', 'main.js');
  const sources = digestOfSources();
  if (builtFrom() === sources) return program;
  // A run beside this one goes on with what it has until the whole new one is there.
  const next = `${HOME}-${String(process.pid)}`;
  try {
    mkdirSync(next, { recursive: true });
    const { build } = await import('../../build.ts');
    await build(join(next, 'dist'));
    cpSync(join(ROOT, 'package.json'), join(next, 'package.json'));
    writeFileSync(join(next, BUILT_FROM), sources);
    rmSync(HOME, { recursive: true, force: true });
    renameSync(next, HOME);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
  return program;
}

function builtFrom(): string | undefined {
  try {
    return readFileSync(join(HOME, BUILT_FROM), 'utf8');
  } catch {
    return undefined; // no build yet
  }
}

function digestOfSources(): string {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: ROOT }).toSorted()) {
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest('hex');
}
