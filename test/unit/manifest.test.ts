import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** Its texts import what its readers install. */
const SNIPPETS = 'src/operator/api/connect.ts';

/** The packages that the sources of the gateway import, by name. */
function importedPackages(): Set<string> {
  const names = globSync('{src,cli,page}/**/*.{ts,tsx}', { cwd: root, exclude: [SNIPPETS] })
    .flatMap((file) => [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /(?:\bfrom |\bimport\(|^import |import\.meta\.resolve\()'((?:@[a-z0-9-]+\/)?[a-z0-9-]+)(?:\/[^']*)?'/gm,
      ),
    ])
    .map(([, name = '']) => name);
  return new Set(names.filter((name) => name !== 'node'));
}

describe('package.json', () => {
  it('has production packages under dependencies, and nothing else', () => {
    expect(Object.keys(manifest.dependencies)).toEqual([...importedPackages()].toSorted());
  });

  it('has the version of the image', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(readFileSync(join(root, 'Dockerfile'), 'utf8')).toContain(`\nARG GATEWAY_VERSION=${version}\n`);
  });

  it('names no package twice', () => {
    const both = Object.keys(manifest.dependencies).filter((name) =>
      Object.hasOwn(manifest.devDependencies, name),
    );
    expect(both).toEqual([]);
  });
});
