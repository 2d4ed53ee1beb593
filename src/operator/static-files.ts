import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const manifest = z
  .array(
    z.object({
      path: z.string().startsWith('/'),
      file: z.string().regex(/^[A-Za-z0-9_-]+(?:[./][A-Za-z0-9_-]+)*$/),
      type: z.string(),
    }),
  )
  .max(100);

export interface StaticFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly brotli: Buffer;
}

/** Reads all files of the page's manifest into memory: request paths never reach the file system. */
export async function readStaticFiles(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const listed = manifest.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
  const read = listed.map(async ({ path, file, type }) => {
    const place = join(folder, file);
    const [plain, brotli] = await Promise.all([readFile(place), readFile(`${place}.br`)]);
    return [path, { type, plain, brotli }] as const;
  });
  return new Map(await Promise.all(read));
}
