import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { GUARD_PACKAGES } from './guard-packages.ts';
import { ownRows } from './own-rows.ts';
import { textRows } from './own-texts.ts';
import { proseRows } from './prose.ts';
import type { Row } from './row.ts';
import { packageRows } from './packages.ts';
import { lines, PACKAGES, pieces } from './sources.ts';
import { readLines } from './texts.ts';

interface PublicRow {
  readonly source: string;
  readonly text: string;
  readonly split: string;
  readonly expect: { readonly detect: boolean };
}

/** Every n-th file is read, and every manual. */
const DOCUMENTS_BY = 5;
/** Repetitions of texts by other authors: they are few compared to our templates, and the innocent ones reduce alarms. */
const GUARD_REPEATS = { attacks: 2, innocent: 4 };

/** Returns the rows of `injection.public.jsonl.gz`: S-Labs and neuralchemy (NOTICE.md). */
function publicRows(file: string): readonly Row[] {
  return lines<PublicRow>(gunzipSync(readFileSync(file)).toString()).map(
    ({ source, text, split, expect }) => {
      const set = source.startsWith('S-Labs') ? 's-labs' : 'neuralchemy';
      return { set, text, isAttack: expect.detect, isHeldBack: split !== 'train' };
    },
  );
}

/** Returns documentation and code of the installed packages, all innocent. */
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

/** Returns sentences of manuals in eleven languages, `manuals/<language>.txt`, alone and as one document. */
function manualRows(): readonly Row[] {
  return globSync(join(import.meta.dirname, 'manuals/*.txt'))
    .toSorted()
    .flatMap((path) => {
      const texts = readLines(path);
      const set = `manuals-${basename(path, '.txt')}`;
      return [...texts, texts.join('\n')].map((text) => ({ set, text, isAttack: false, isHeldBack: false }));
    });
}

/** Returns the TypeScript compiler's messages in thirteen languages. */
function compilerRows(root: string): readonly Row[] {
  return globSync('node_modules/typescript/lib/*/diagnosticMessages.generated.json', { cwd: root })
    .toSorted()
    .flatMap((file) =>
      Object.values(JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<string, string>),
    )
    .filter((_text, index) => index % DOCUMENTS_BY === 0)
    .map((text) => ({ set: 'messages', text, isAttack: false, isHeldBack: false }));
}

function repeated(rows: readonly Row[]): readonly Row[] {
  const { attacks, innocent } = GUARD_REPEATS;
  return rows.flatMap((row) => Array.from({ length: row.isAttack ? attacks : innocent }, () => row));
}

/** Returns all training rows. */
export function allRows(publicFile: string, random: () => number): readonly Row[] {
  const root = join(import.meta.dirname, '../..');
  return [
    ...publicRows(publicFile),
    ...packageRows(PACKAGES),
    ...repeated(packageRows(GUARD_PACKAGES)),
    ...documentRows(root),
    ...compilerRows(root),
    ...manualRows(),
    ...ownRows(random),
    ...textRows(random),
    ...proseRows(random),
  ];
}
