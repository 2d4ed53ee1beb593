import { fileURLToPath } from 'node:url';

/** A file that the listener serves, as the page's manifest lists it. */
export interface PageFile {
  /** `/` or `/assets/<name>-<digest>.<extension>`. Content under a digest never changes. */
  readonly path: string;
  /** Path in the folder. `<file>.br` is its Brotli form. */
  readonly file: string;
  readonly type: string;
}

/** Returns the folder of the built page; its `manifest.json` lists `PageFile`s. A checkout builds it on demand. */
export async function pageFolder(): Promise<string> {
  const here = import.meta.url;
  if (here.endsWith('.js')) return fileURLToPath(new URL('../../page', here));
  // A computed name keeps the builder out of the bundle.
  const builder = new URL('../../build-page.ts', here).href;
  const { builtPage } = (await import(builder)) as { builtPage(): Promise<string> };
  return builtPage();
}
