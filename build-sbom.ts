/** What the bundle is made of, for whoever runs it: a CycloneDX list of its packages, and where the build came from. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

interface Component {
  readonly name: string;
  readonly version: string;
  readonly 'bom-ref': string;
}

interface Sbom {
  readonly metadata: { readonly component: Component; readonly tools: readonly object[] };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** Returns `name@version` of each package that one of these files belongs to. */
export function packagesOf(files: readonly string[]): ReadonlySet<string> {
  const folders = new Set(
    files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []),
  );
  return new Set(
    [...folders].map((folder) => {
      const text = readFileSync(join(folder, 'package.json'), 'utf8');
      const { name, version } = JSON.parse(text) as { name: string; version: string };
      return `${name}@${version}`;
    }),
  );
}

/**
 * Returns npm's CycloneDX document, reduced to the packages in the bundle. It has no time and no serial number, so that
 * equal sources give an equal document.
 * @throws Error if the bundle holds a package that is only a dependency for development
 */
export function cycloneDx(root: string, bundled: ReadonlySet<string>): object {
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
  });
  const { components, dependencies, metadata, ...rest } = JSON.parse(text) as Sbom;
  // `--omit dev` would leave out packages that are needed for both.
  const production = productionPackages(root);
  const strangers = [...bundled].filter((one) => !production.has(one));
  if (strangers.length > 0)
    throw new Error(`bundled, but not a dependency for production: ${strangers.join(', ')}`);
  const kept = components.filter(({ name, version }) => bundled.has(`${name}@${version}`));
  const refs = new Set([metadata.component['bom-ref'], ...kept.map((one) => one['bom-ref'])]);
  return {
    ...rest,
    serialNumber: undefined,
    metadata: {
      tools: metadata.tools,
      component: { ...metadata.component, name: 'ai-firewall-gateway', type: 'application' },
    },
    components: kept,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}

/** Returns `name@version` of the packages that the lock file installs for production. */
function productionPackages(root: string): ReadonlySet<string> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly version?: string; readonly dev?: boolean }>>;
  };
  return new Set(
    Object.entries(lock.packages).flatMap(([path, { version = '', dev }]) =>
      dev === true ? [] : [`${path.replace(/^.*node_modules\//, '')}@${version}`],
    ),
  );
}

/** Returns an in-toto statement with SLSA's provenance: what was built, by whom, from which commit and lock file. */
export function provenance(
  root: string,
  dist: string,
  { version, commit }: { readonly version: string; readonly commit?: string },
): object {
  const files = globSync('**/*', { cwd: dist })
    .filter((file) => statSync(join(dist, file)).isFile())
    .toSorted();
  const lock = { uri: 'package-lock.json', digest: { sha256: sha256(join(root, 'package-lock.json')) } };
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map((name) => ({ name, digest: { sha256: sha256(join(dist, name)) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:ai-firewall-gateway:npm-run-build:v1',
        externalParameters: { version, commit: commit ?? 'unknown' },
        internalParameters: { node: process.versions.node },
        resolvedDependencies: [
          // A changed checkout has no commit that says what was built.
          ...(/^[0-9a-f]+$/.test(commit ?? '')
            ? [{ uri: 'urn:ai-firewall-gateway:source', digest: { gitCommit: commit } }]
            : []),
          lock,
        ],
      },
      runDetails: { builder: { id: 'urn:ai-firewall-gateway:build.ts' } },
    },
  };
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
