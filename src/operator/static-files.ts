import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import * as z from 'zod';

const manifest = z
  .array(
    z.object({
      /** `/` or `/assets/<name>-<digest>.<extension>`. Content under a digest never changes. */
      path: z.string().startsWith('/'),
      /** Path in the folder. `<file>.br` is its Brotli form. */
      file: z.string().regex(/^[A-Za-z0-9_-]+(?:[./][A-Za-z0-9_-]+)*$/),
      type: z.string(),
    }),
  )
  .max(100);

export type PageFile = z.infer<typeof manifest>[number];

/** Returns the folder of the built page, with a `manifest.json` of `PageFile`s. In a checkout, builds the page. */
export async function pageFolder(): Promise<string> {
  const here = import.meta.url;
  if (here.endsWith('.js')) return fileURLToPath(new URL('../../page', here));
  // A computed name keeps the builder out of the bundle.
  const builder = new URL('../../build-page.ts', here).href;
  const { builtPage } = (await import(builder)) as { builtPage(): Promise<string> };
  return builtPage();
}

export interface StaticFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly brotli: Buffer;
}

/** Reads all files in the manifest into memory, so that request paths never reach the file system. */
export async function readStaticFiles(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const listed = manifest.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
  const read = listed.map(async ({ path, file, type }) => {
    const source = join(folder, file);
    const [plain, brotli] = await Promise.all([readFile(source), readFile(`${source}.br`)]);
    return [path, { type, plain, brotli }] as const;
  });
  return new Map(await Promise.all(read));
}
