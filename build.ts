/**
 * `npm run build` bundles the program and its packages into about a hundred files instead of two thousand, because
 * finding and linking modules took most of the CPU time of a start. Dynamic imports stay dynamic.
 */
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

import { rolldown, type OutputChunk, type OutputOptions, type Plugin } from 'rolldown';

import { inAscii } from './build-ascii.ts';
import { buildPage } from './build-page.ts';
import { cycloneDx, packagesOf, provenance, thirdPartyNotices } from './build-sbom.ts';
import { commitOf } from './cli/version.ts';
import { packVocabulary } from './src/pricing/vocabulary.ts';

const ROOT = import.meta.dirname;
/** Files that the program reads at run time, at the same paths in `dist` as in a checkout. */
const READ_AT_RUN_TIME = [
  'src/**/*.lua',
  'policies/presets/*.yaml',
  'models/injection/weights.bin',
  'policies/engine/{engine.wasm.br,wasm_exec.js,THIRD-PARTY-LICENSES.txt}',
];

interface Bundle {
  /** Entry modules of processes and threads, whose names must stay. */
  readonly entries: readonly string[];
  /** Folder for chunks that are shared or imported on demand. */
  readonly chunks: string;
  /** Groups of modules that stay together. */
  readonly groups?: NonNullable<OutputOptions['codeSplitting']>;
}

/**
 * The processes of every start have their own bundles. Code shared with commands would be split into a hundred files,
 * which each start would have to find and link.
 */
const BUNDLES: readonly Bundle[] = [
  {
    entries: ['cli/main', 'src/operator/process', 'src/policy/rego/thread', 'src/offline-judge-thread'],
    chunks: 'chunks',
  },
  { entries: ['src/config-reader'], chunks: 'chunks/config-reader' },
  {
    entries: ['src/worker'],
    chunks: 'chunks/worker',
    // A worker loads nearly every check, each on demand.
    groups: { groups: [{ name: 'shared', test: /[\\/]src[\\/]/, minShareCount: 2 }] },
  },
];

const OTLP_GRPC = '@opentelemetry/otlp-grpc-exporter-base';

/** Builds into `dist`, which is emptied first. */
export async function build(dist: string): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const assets = new Map<string, string>();
  const output = (await Promise.all(BUNDLES.map((bundle) => writeBundle(dist, bundle, assets)))).flat();

  for (const pattern of READ_AT_RUN_TIME) {
    const files = globSync(pattern, { cwd: ROOT });
    if (files.length === 0) throw new Error(`no file matches ${pattern}, which is read at run time`);
    for (const file of files) assets.set(join(ROOT, file), file);
  }
  for (const [from, to] of assets) {
    mkdirSync(dirname(join(dist, to)), { recursive: true });
    if (from.endsWith('.tiktoken')) writeFileSync(join(dist, to), packVocabulary(readFileSync(from)));
    else cpSync(from, join(dist, to));
  }
  const chunks = output.filter((file) => file.type === 'chunk');
  for (const { fileName, code } of chunks) writeFileSync(join(dist, fileName), inAscii(code));
  const missing = chunks.flatMap(importsOf).filter((name) => !isProvided(name, chunks));
  if (missing.length > 0)
    throw new Error(`not bundled, and not installed with the package: ${missing.join(', ')}`);
  const pageModules = await buildPage(join(dist, 'page'));
  const modules = [...chunks.flatMap(({ moduleIds }) => moduleIds), ...pageModules];
  writeFileSync(join(dist, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices([...modules, ...assets.keys()]));
  const built = stamp();
  writeFileSync(join(dist, 'build.json'), `${JSON.stringify(built)}\n`);
  chmodSync(join(dist, 'cli/main.js'), 0o755);
  const bundled = packagesOf([...modules, ...assets.keys()]);
  writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(cycloneDx(ROOT, bundled), null, 2)}\n`);
  // Last, because it names every file with its digest.
  writeFileSync(join(dist, 'provenance.json'), `${JSON.stringify(provenance(ROOT, dist, built), null, 2)}\n`);
}

async function writeBundle(
  dist: string,
  { entries, chunks, groups = true }: Bundle,
  assets: Map<string, string>,
) {
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entries.map((entry) => [entry, `${entry}.ts`])),
    platform: 'node',
    // A module that one process imports statically may be imported on demand by another.
    checks: { ineffectiveDynamicImport: false },
    // Its ES modules load grpc-js with a function that bundlers do not recognize.
    resolve: { alias: { [OTLP_GRPC]: createRequire(import.meta.url).resolve(OTLP_GRPC) } },
    plugins: [withoutSupportsColor, sourcePaths(assets)],
  });
  const { output } = await bundle.write({
    dir: dist,
    entryFileNames: '[name].js',
    chunkFileNames: `${chunks}/[name].js`,
    codeSplitting: groups,
    comments: false,
    // For stack traces.
    keepNames: true,
  });
  await bundle.close();
  return output;
}

/** Returns the data for `gateway --version`. Images are built without `.git`, with the commit in GATEWAY_COMMIT. */
function stamp(): { readonly version: string; readonly commit?: string } {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const named = process.env['GATEWAY_COMMIT'] ?? '';
  if (named !== '') return { version, commit: named };
  try {
    return { version, commit: commitOf(ROOT) };
  } catch {
    return { version }; // not a checkout
  }
}

/** Excludes a module that `debug` loads if it is installed, as in a checkout. */
const withoutSupportsColor: Plugin = {
  name: 'without-supports-color',
  resolveId: (id) => (id === 'supports-color' ? '\0supports-color' : null),
  load: (id) => (id === '\0supports-color' ? 'export default undefined' : null),
};

function importsOf({ imports, code }: OutputChunk): readonly string[] {
  return [...imports, ...[...code.matchAll(/\b__require\("([^"]+)"\)/g)].map(([, name = '']) => name)];
}

function isProvided(name: string, chunks: readonly OutputChunk[]): boolean {
  return isBuiltin(name) || chunks.some(({ fileName }) => fileName === name);
}

/**
 * Makes `import.meta.url` refer to the original path of each module, so that files next to a source are found. Adds
 * package files that `import.meta.resolve` finds to `assets`, which maps their paths to those in `dist`.
 */
function sourcePaths(assets: Map<string, string>): Plugin {
  return {
    name: 'source-paths',
    transform: {
      filter: { id: /\.ts$/, code: /import\.meta\.(url|resolve)/ },
      handler(code, id) {
        const withAssets = code.replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, (_call, name: string) => {
          const file = createRequire(id).resolve(name);
          const path = `data/${basename(file)}`;
          assets.set(file, path);
          return `PATH_IN_DIST("${path}")`;
        });
        const path = relative(ROOT, id).replace(/\.ts$/, '.js');
        return { code: withAssets.replaceAll('import.meta.url', `PATH_IN_DIST("${path}")`), map: null };
      },
    },
    renderChunk(code, chunk) {
      const folder = dirname(chunk.fileName);
      return code.replaceAll(
        /PATH_IN_DIST\("([^"]+)"\)/g,
        (_call, path: string) => `new URL("${relative(folder, path)}", import.meta.url).href`,
      );
    },
  };
}

if (import.meta.main) await build(join(ROOT, 'dist'));
