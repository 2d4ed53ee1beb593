/**
 * The part of `npm run build` that tsc does not do: what the program reads at run time goes beside the compiled
 * files, in the same relative places as in a checkout.
 */
import { chmodSync, cpSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

for (const file of globSync(
  [
    'src/**/*.lua',
    'proto/*.proto',
    'policies/presets/*.yaml',
    'policies/engine/{engine.wasm.br,wasm_exec.js,THIRD-PARTY-LICENSES.txt}',
  ],
  { cwd: import.meta.dirname },
)) {
  const target = join(import.meta.dirname, 'dist', file);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(import.meta.dirname, file), target);
}
chmodSync(join(import.meta.dirname, 'dist/cli/main.js'), 0o755);
