import { fileURLToPath } from 'node:url';

/** A file that the listener serves. The page's manifest lists all of them. */
export interface PageFile {
  /** `/` or `/assets/<name>-<digest>.<extension>`; content under a digest never changes. */
  readonly path: string;
  /** Path in the folder. `<file>.br` is its Brotli form. */
  readonly file: string;
  readonly type: string;
}

/**
 * Returns the folder of the built page with `manifest.json`, a list of `PageFile`. A checkout builds it on
 * demand.
 */
export async function pageFolder(): Promise<string> {
  const here = import.meta.url;
  if (here.endsWith('.js')) return fileURLToPath(new URL('../../page', here));
  // A computed name keeps the bundler out of the bundle.
  const builder = new URL('../../build-page.ts', here).href;
  const { builtPage } = (await import(builder)) as { builtPage(): Promise<string> };
  return builtPage();
}
