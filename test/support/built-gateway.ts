import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnce } from '../../build-once.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** A fixed path, so that the next build finds compiled code cached under the file's name. */
const HOME = join(ROOT, 'node_modules', '.cache', 'gateway');
const SOURCES = [
  '{src,cli}/**/*.{ts,lua}',
  'page/**/*.*',
  'models/injection/weights.bin',
  'policies/{presets,engine}/*',
  'build*.ts',
  'package*.json',
  'tsconfig.json',
];

/** Returns the program as users install it, built from the current sources unless that was already done. */
export async function builtGateway(): Promise<string> {
  await buildOnce({
    folder: HOME,
    sources: SOURCES,
    build: async (folder) => {
      const { build } = await import('../../build.ts');
      await build(join(folder, 'dist'));
      cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
    },
  });
  return join(HOME, 'dist', 'cli', 'main.js');
}
