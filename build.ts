/**
 * `npm run build`: the program and the packages that it uses, as some hundred files in place of two thousand: most of
 * the CPU of a start was finding and linking modules. What is imported only when it is needed stays so.
 */
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

import { rolldown, type OutputChunk, type OutputOptions, type Plugin } from 'rolldown';

import { inAscii } from './build-ascii.ts';
import { thirdPartyNotices } from './build-notices.ts';
import { buildPage } from './build-page.ts';
import { cycloneDx, packagesOf, provenance } from './build-sbom.ts';
import { commitOf } from './cli/version.ts';
import { packVocabulary } from './src/pricing/vocabulary.ts';

const ROOT = import.meta.dirname;
/** What the program reads at run time; it lies in `dist` where it lies in a checkout. */
const READ_AT_RUN_TIME = [
  'src/**/*.lua',
  'policies/presets/*.yaml',
  'models/injection/weights.bin',
  'policies/engine/{engine.wasm.br,wasm_exec.js,THIRD-PARTY-LICENSES.txt}',
];

interface Bundle {
  /** Processes and threads begin with them, so that their names are known. */
  readonly entries: readonly string[];
  /** Folder of the files that are imported on demand, or by several others. */
  readonly chunks: string;
  /** Groups of modules that stay together. */
  readonly groups?: NonNullable<OutputOptions['codeSplitting']>;
}

/**
 * The processes of each start have a bundle of their own: code that they share with commands would be split into a
 * hundred files, which a start would find and link one by one.
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

/** Builds into `dist`, which is emptied before. */
export async function build(dist: string): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const assets = new Map<string, string>();
  const output = (await Promise.all(BUNDLES.map((bundle) => writeBundle(dist, bundle, assets)))).flat();

  for (const pattern of READ_AT_RUN_TIME) {
    const files = globSync(pattern, { cwd: ROOT });
    if (files.length === 0) throw new Error(`read at run time, but not there: ${pattern}`);
    for (const file of files) assets.set(join(ROOT, file), file);
  }
  for (const [from, to] of assets) {
    mkdirSync(dirname(join(dist, to)), { recursive: true });
    if (from.endsWith('.tiktoken')) writeFileSync(join(dist, to), packVocabulary(readFileSync(from)));
    else cpSync(from, join(dist, to));
  }
  const chunks = output.filter((file) => file.type === 'chunk');
  for (const { fileName, code } of chunks) writeFileSync(join(dist, fileName), inAscii(code));
  const missing = chunks.flatMap(asksFor).filter((name) => !isThere(name, chunks));
  if (missing.length > 0)
    throw new Error(`not bundled, and not installed with the package: ${missing.join(', ')}`);
  const ofPage = await buildPage(join(dist, 'page'));
  const modules = [...chunks.flatMap(({ moduleIds }) => moduleIds), ...ofPage];
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
    // A module that one process imports both ways stays on demand in another.
    checks: { ineffectiveDynamicImport: false },
    // Its ES modules ask for grpc-js by a function that no bundler sees.
    resolve: { alias: { [OTLP_GRPC]: createRequire(import.meta.url).resolve(OTLP_GRPC) } },
    plugins: [withoutSupportsColor, placesOfSources(assets)],
  });
  const { output } = await bundle.write({
    dir: dist,
    entryFileNames: '[name].js',
    chunkFileNames: `${chunks}/[name].js`,
    codeSplitting: groups,
    comments: false,
    // Stack traces name functions as their sources do.
    keepNames: true,
  });
  await bundle.close();
  return output;
}

/** What `gateway --version` prints. An image is built without `.git`: GATEWAY_COMMIT names the commit there. */
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

/** `debug` asks for it if it is installed, as it happens to be for development. */
const withoutSupportsColor: Plugin = {
  name: 'without-supports-color',
  resolveId: (id) => (id === 'supports-color' ? '\0supports-color' : null),
  load: (id) => (id === '\0supports-color' ? 'export default undefined' : null),
};

function asksFor({ imports, code }: OutputChunk): readonly string[] {
  return [...imports, ...[...code.matchAll(/\b__require\("([^"]+)"\)/g)].map(([, name = '']) => name)];
}

/** What a chunk imports must be another chunk, or a part of Node. */
function isThere(name: string, chunks: readonly OutputChunk[]): boolean {
  return isBuiltin(name) || chunks.some(({ fileName }) => fileName === name);
}

/**
 * `import.meta.url` of a module stays what it would be if each were compiled to a file of its own, so that what lies
 * beside a source is found; a file of a package that is asked for by `import.meta.resolve` is noted in `assets` (from
 * where, and where in `dist`).
 */
function placesOfSources(assets: Map<string, string>): Plugin {
  return {
    name: 'places-of-sources',
    transform: {
      filter: { id: /\.ts$/, code: /import\.meta\.(url|resolve)/ },
      handler(code, id) {
        const withAssets = code.replaceAll(/import\.meta\.resolve\('([^']+)'\)/g, (_call, name: string) => {
          const file = createRequire(id).resolve(name);
          const place = `data/${basename(file)}`;
          assets.set(file, place);
          return `PLACE_IN_DIST("${place}")`;
        });
        const place = relative(ROOT, id).replace(/\.ts$/, '.js');
        return { code: withAssets.replaceAll('import.meta.url', `PLACE_IN_DIST("${place}")`), map: null };
      },
    },
    renderChunk(code, chunk) {
      const folder = dirname(chunk.fileName);
      return code.replaceAll(
        /PLACE_IN_DIST\("([^"]+)"\)/g,
        (_call, place: string) => `new URL("${relative(folder, place)}", import.meta.url).href`,
      );
    },
  };
}

if (import.meta.main) await build(join(ROOT, 'dist'));
