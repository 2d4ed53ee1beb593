/**
 * Builds the browser part of the operator page: a script, a style sheet and an icon with digests in their names,
 * `index.html`, and `manifest.json`, which lists the files to serve.
 */
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';

import { rolldown } from 'rolldown';

import { buildOnce } from './build-once.ts';
import type { PageFile } from './src/operator/static-files.ts';

const ROOT = import.meta.dirname;
const PLOTS_STYLE = 'uplot/dist/uPlot.min.css';
/** The build of a checkout. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'page');
const SOURCES = ['page/**/*.{ts,tsx,css,svg,json}', 'build-{page,once}.ts', 'package-lock.json'];

/** Builds into an empty or missing folder. Returns the modules of the script, and the plot style sheet. */
export async function buildPage(folder: string): Promise<readonly string[]> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: 'page/main.tsx',
    platform: 'browser',
    transform: { target: 'es2022' },
  });
  const { output } = await bundle.generate({ format: 'es', minify: true, comments: false });
  await bundle.close();
  const [script, ...others] = output;
  if (others.length > 0) throw new Error('the page must be one script: use static imports only');

  const plots = createRequire(import.meta.url).resolve(PLOTS_STYLE);
  const styles = globSync('page/styles/*.css', { cwd: ROOT }).toSorted();
  const style = [plots, ...styles.map((file) => join(ROOT, file))].map((file) => readFileSync(file, 'utf8'));
  const files = [
    named('page', 'js', 'text/javascript; charset=utf-8', script.code),
    named('page', 'css', 'text/css; charset=utf-8', style.join('\n')),
    named('icon', 'svg', 'image/svg+xml', readFileSync(join(ROOT, 'page/icon.svg'), 'utf8')),
  ] as const;
  const [{ path: scriptPath }, { path: stylePath }, { path: iconPath }] = files;
  const index = {
    path: '/',
    file: 'index.html',
    type: 'text/html; charset=utf-8',
    text: html(scriptPath, stylePath, iconPath),
  };
  const manifest = [index, ...files].map(({ text, ...entry }): PageFile => {
    mkdirSync(dirname(join(folder, entry.file)), { recursive: true });
    writeFileSync(join(folder, entry.file), text);
    writeFileSync(join(folder, `${entry.file}.br`), brotliCompressSync(text));
    return entry;
  });
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return [...script.moduleIds, plots];
}

function named(name: string, extension: string, type: string, text: string): PageFile & { text: string } {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const file = `assets/${name}-${digest}.${extension}`;
  return { path: `/${file}`, file, type, text };
}

function html(script: string, style: string, icon: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Gateway</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body><div id="page"><noscript>This page needs JavaScript.</noscript></div></body>
</html>
`;
}

/**
 * Returns the page folder, rebuilt if the sources of this checkout have changed.
 * @public imported by its path, which the built program lacks
 */
export async function builtPage(): Promise<string> {
  await buildOnce({ folder: CACHE, sources: SOURCES, build: buildPage });
  return CACHE;
}
