/**
 * Builds the policy engine: `node policies/engine/build.ts` writes `engine.wasm.br` and the files that belong to it.
 * `--check` builds it in a temporary folder and compares, which detects an engine that does not come from this source.
 * The same Go version and the same source give the same bytes, in any folder and on any machine.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { limitMemory } from './limit-memory.ts';
import { sourcesDigest } from './sources.ts';

/** Maximum of memory in pages of 64 KiB: 512 MiB. A string that grows without bound ends the engine, not the machine. */
const MAX_MEMORY_PAGES = 8192;
const HERE = import.meta.dirname;
const WASM = 'engine.wasm.br';
const GO_RUNTIME = 'wasm_exec.js';
const SUMS = 'SHA256SUMS';
const NOTICES = 'THIRD-PARTY-LICENSES.txt';

function go(args: string[], env: Record<string, string> = {}): string {
  const options = {
    cwd: HERE,
    env: { ...process.env, GOFLAGS: '-mod=readonly', ...env },
    maxBuffer: 1 << 26,
  };
  return execFileSync('go', args, { ...options, encoding: 'utf8' }).trim();
}

function buildWasm(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'policy-engine-'));
  try {
    const out = join(folder, 'engine.wasm');
    const flags = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w -buildid='];
    go(['build', ...flags, '-o', out, '.'], { GOOS: 'js', GOARCH: 'wasm', GOTOOLCHAIN: 'local' });
    return limitMemory(readFileSync(out), MAX_MEMORY_PAGES);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the licences of Go and of every module in the engine. */
function licences(): string {
  const format = '{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}\t{{.Dir}}{{end}}{{end}}';
  const listed = go(['list', '-deps', '-f', format, '.'], { GOOS: 'js', GOARCH: 'wasm' });
  const modules = [...new Set(listed.split('\n').filter((line) => line !== ''))].sort();
  const all = [...modules, `The Go programming language\t${go(['env', 'GOROOT'])}`];
  return all
    .map((line) => {
      const [name = '', folder = ''] = line.split('\t');
      const texts = readdirSync(folder)
        .filter((file) => /^(?:licen[cs]e|notice|copying)/iu.test(file))
        .sort()
        .map((file) => readFileSync(join(folder, file), 'utf8').trim());
      return `${'='.repeat(80)}\n${name}\n${'='.repeat(80)}\n${texts.join('\n\n')}\n`;
    })
    .join('\n');
}

function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function sums(wasm: Buffer, runtime: string): string {
  const files = `${sha256(wasm)}  engine.wasm\n${sha256(runtime)}  ${GO_RUNTIME}\n`;
  return `${files}# sources ${sourcesDigest()}\n# ${go(['version'])}\n`;
}

function main(): void {
  const wasm = buildWasm();
  const runtime = readFileSync(join(go(['env', 'GOROOT']), 'lib/wasm', GO_RUNTIME), 'utf8');
  const summed = sums(wasm, runtime);
  if (process.argv.includes('--check')) {
    const kept = brotliDecompressSync(readFileSync(join(HERE, WASM)));
    const same = sha256(kept) === sha256(wasm) && readFileSync(join(HERE, SUMS), 'utf8') === summed;
    console.log(
      same ? 'the policy engine is what its source builds' : `the policy engine differs:\n${summed}`,
    );
    process.exitCode = same ? 0 : 1;
    return;
  }
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
  writeFileSync(join(HERE, WASM), brotliCompressSync(wasm, { params }));
  writeFileSync(join(HERE, GO_RUNTIME), runtime);
  writeFileSync(join(HERE, SUMS), summed);
  writeFileSync(join(HERE, NOTICES), licences());
  console.log(summed);
}

main();
