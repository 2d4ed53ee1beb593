import { fileURLToPath } from 'node:url';

/** A file that the listener may serve. The manifest of the page lists them; nothing else in the folder is served. */
export interface PageFile {
  /** URL path: `/` or `/assets/<name>-<digest>.<extension>`. A path with a digest never changes its content. */
  readonly path: string;
  /** Place in the folder. `<file>.br` beside it holds the same, compressed with Brotli. */
  readonly file: string;
  /** Content-Type. */
  readonly type: string;
}

/** Returns the folder of the built page, with its `manifest.json`: a list of `PageFile`. A checkout builds it on demand. */
export async function pageFolder(): Promise<string> {
  const here = import.meta.url;
  if (here.endsWith('.js')) return fileURLToPath(new URL('../../page', here));
  // By a computed name, because the bundle must not contain the bundler.
  const builder = new URL('../../build-page.ts', here).href;
  const { builtPage } = (await import(builder)) as { builtPage(): Promise<string> };
  return builtPage();
}
