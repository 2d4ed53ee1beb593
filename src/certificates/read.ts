import { readFileSync } from 'node:fs';

import { PEM_KEYS, type PemFiles } from './pem-files.ts';
import type { PemTexts } from './pem.ts';

/** Reads the files of a group. A file that cannot be read is left out. */
export function readPemTexts(files: PemFiles): PemTexts {
  return Object.fromEntries(
    PEM_KEYS.flatMap((key) => {
      const file = files[key];
      const text = file === undefined ? undefined : textOf(file);
      return text === undefined ? [] : [[key, text] as const];
    }),
  );
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // reported by `pemProblems`
  }
}
