import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnce } from '../../build-once.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** One place, so that compiled code that is kept by the name of its file is found by the next build too. */
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

/** The program as users install it; built from the sources as they are, unless that was done already. */
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
