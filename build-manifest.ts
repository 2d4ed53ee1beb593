/**
 * `npm pack` packs the bundle, which needs no other package: dependencies in its manifest would only be installed
 * beside it. `strip` leaves them out of package.json while it packs, `restore` brings it back.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MANIFEST = join(import.meta.dirname, 'package.json');
const ASIDE = join(import.meta.dirname, 'node_modules', '.package.json');
const FOR_CHECKOUTS = ['dependencies', 'devDependencies', 'overrides', 'allowScripts', 'scripts'];

function strip(): void {
  const text = readFileSync(MANIFEST, 'utf8');
  const manifest = JSON.parse(text) as Record<string, unknown>;
  if (manifest['devDependencies'] === undefined) return; // stripped by a run that was ended
  const published = Object.entries(manifest).filter(([name]) => !FOR_CHECKOUTS.includes(name));
  writeFileSync(ASIDE, text);
  writeFileSync(MANIFEST, `${JSON.stringify(Object.fromEntries(published), null, 2)}\n`);
}

function restore(): void {
  if (existsSync(ASIDE)) renameSync(ASIDE, MANIFEST);
}

if (process.argv[2] === 'restore') restore();
else strip();
