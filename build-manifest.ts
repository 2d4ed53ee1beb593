/**
 * `npm pack` packs the bundle, which needs no other packages. `strip` removes the dependencies, which npm would
 * install, from package.json before packing, and `restore` restores the file.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MANIFEST = join(import.meta.dirname, 'package.json');
const BACKUP = join(import.meta.dirname, 'node_modules', '.package.json');
const CHECKOUT_ONLY = ['dependencies', 'devDependencies', 'overrides', 'allowScripts', 'scripts'];

function strip(): void {
  const text = readFileSync(MANIFEST, 'utf8');
  const manifest = JSON.parse(text) as Record<string, unknown>;
  if (manifest['devDependencies'] === undefined) return; // stripped by an interrupted run
  const published = Object.entries(manifest).filter(([name]) => !CHECKOUT_ONLY.includes(name));
  writeFileSync(BACKUP, text);
  writeFileSync(MANIFEST, `${JSON.stringify(Object.fromEntries(published), null, 2)}\n`);
}

function restore(): void {
  if (existsSync(BACKUP)) renameSync(BACKUP, MANIFEST);
}

if (process.argv[2] === 'restore') restore();
else strip();
