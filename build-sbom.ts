/** Describes the bundle: its packages as a CycloneDX document, their licence notices, and the build provenance. */
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

/** Returns the package folders (`/…/node_modules/@scope/name`) of these files. */
function packageFolders(files: readonly string[]): readonly string[] {
  const folders = files.flatMap(
    (file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? [],
  );
  return [...new Set(folders)];
}

/** Returns `name@version` of each package with one of these files. */
export function packagesOf(files: readonly string[]): ReadonlySet<string> {
  return new Set(
    packageFolders(files).map((folder) => {
      const text = readFileSync(join(folder, 'package.json'), 'utf8');
      const { name, version } = JSON.parse(text) as { name: string; version: string };
      return `${name}@${version}`;
    }),
  );
}

/**
 * Returns npm's CycloneDX document for the packages in the bundle, without time and serial number, so that equal
 * sources yield equal documents.
 * @throws Error if the bundle contains a package that is only a development dependency
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
  const unexpected = [...bundled].filter((name) => !production.has(name));
  if (unexpected.length > 0)
    throw new Error(`bundled, but not a production dependency: ${unexpected.join(', ')}`);
  const kept = components.filter(({ name, version }) => bundled.has(`${name}@${version}`));
  const refs = new Set([metadata.component['bom-ref'], ...kept.map((component) => component['bom-ref'])]);
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
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((name) => refs.has(name)) })),
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

/** Returns an in-toto statement with SLSA provenance: the files, the builder, the commit and the lock file. */
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
          // With local changes, the build has no source commit.
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

/** Returns the licence notices of every package with files in the bundle, sorted by name. */
export function thirdPartyNotices(files: readonly string[]): string {
  const notices = packageFolders(files).map(noticeOf).toSorted();
  return `This program contains the following packages.\n\n${[...new Set(notices)].join('\n')}`;
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  if (license === undefined)
    throw new Error(`${name} does not declare its licence: look it up before bundling the package`);
  const texts = globSync('{LICENSE,LICENCE,NOTICE,COPYING,license,licence}{,.*}', { cwd: folder })
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`${'-'.repeat(72)}\n${name} ${version}, ${license}\n`, ...texts, ''].join('\n');
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
