import { fileURLToPath } from 'node:url';

/** Returns the entry of a child process: `src/<name>.ts` in a checkout, `dist/src/<name>.js` in the package. */
export function entryFile(name: 'worker' | 'config-reader' | 'operator/process'): string {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  return fileURLToPath(new URL(`../${name}${extension}`, import.meta.url));
}
