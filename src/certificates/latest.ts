import { pemProblems, type PemTexts } from './pem.ts';
import type { PemFiles } from './pem-files.ts';
import { readPemTexts } from './read.ts';

/**
 * Returns a function that reads the files of a group anew. Files that cannot be used leave the contents before them in
 * force.
 * @throws Error if a file cannot be used at the start
 */
export function latestPemTexts(files: PemFiles): () => PemTexts {
  let inForce = readPemTexts(files);
  const [first] = pemProblems(files, inForce);
  if (first !== undefined) throw new Error(`${files.path}.${first.key} ${first.message}`);
  return () => {
    const now = readPemTexts(files);
    if (pemProblems(files, now).length === 0) inForce = now;
    return inForce;
  };
}
