import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Texts of one language as different people could have written them, without templates. */
export interface Texts {
  /** ISO 639-1 code. */
  readonly language: string;
  readonly attacks: readonly string[];
  readonly innocent: readonly string[];
}

const FILE = /^(?<language>[a-z]{2})-(?<label>attacks|innocent)-[a-z-]+\.txt$/;

/** Reads `texts/<language>-attacks-<kind>.txt` and `texts/<language>-innocent-<kind>.txt`. */
export function readTexts(folder = join(import.meta.dirname, 'texts')): readonly Texts[] {
  const files = globSync(join(folder, '*.txt')).toSorted().map(readFile);
  const of = (language: string, label: string): readonly string[] =>
    files.filter((file) => file.language === language && file.label === label).flatMap(({ texts }) => texts);
  return [...new Set(files.map(({ language }) => language))].map((language) => ({
    language,
    attacks: of(language, 'attacks'),
    innocent: of(language, 'innocent'),
  }));
}

function readFile(path: string): { language: string; label: string; texts: readonly string[] } {
  const { language, label } = FILE.exec(basename(path))?.groups ?? {};
  if (language === undefined || label === undefined)
    throw new Error(`name ${path} <language>-attacks-<kind>.txt or <language>-innocent-<kind>.txt`);
  return { language, label, texts: readLines(path) };
}

/** Reads one text per line; `\n` in a text is a line break. */
export function readLines(path: string): readonly string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim().replaceAll('\\n', '\n'))
    .filter((line) => line !== '');
}
