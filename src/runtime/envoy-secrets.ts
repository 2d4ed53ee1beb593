import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { PemTexts } from '../certificates/pem.ts';
import { fileName, secretsWithContent } from '../envoy/secrets.ts';

/** Writes certificates and keys for Envoy into a private folder, which Envoy watches. */
export interface EnvoySecrets {
  readonly folder: string;
  publish(path: string, texts: PemTexts): Promise<void>;
}

export async function createEnvoySecrets(folder: string): Promise<EnvoySecrets> {
  await mkdir(folder, { mode: 0o700 });
  return {
    folder,
    publish: async (path, texts) => {
      for (const { name, content } of secretsWithContent(path, texts)) {
        const file = join(folder, fileName(name));
        const next = `${file}.next`;
        await writeFile(next, JSON.stringify(content), { mode: 0o600 });
        // Envoy sees either the old file or the new one.
        await rename(next, file);
      }
    },
  };
}
