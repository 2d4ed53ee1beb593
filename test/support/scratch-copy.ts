import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = new URL('../..', import.meta.url).pathname;

/** A copy of the program that a test may change, as a developer changes a checkout. */
export interface ScratchCopy {
  write(file: string, text: string): void;
  /** Replaces the only match of `pattern` in a file. */
  replace(file: string, pattern: RegExp, text: string): void;
  /** Runs node in the copy and returns its output. Rejects if it fails. */
  node(...args: readonly string[]): Promise<string>;
  remove(): void;
}

export function scratchCopy(): ScratchCopy {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-scratch-'));
  for (const name of ['src', 'cli', 'policies', 'tsconfig.json', 'package.json']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  function write(file: string, text: string): void {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return {
    write,
    replace(file, pattern, text) {
      const before = readFileSync(join(folder, file), 'utf8');
      const after = before.replace(pattern, text);
      if (after === before) throw new Error(`${file} has no match of ${String(pattern)}`);
      write(file, after);
    },
    async node(...args) {
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
      return stdout;
    },
    remove() {
      rmSync(folder, { recursive: true });
    },
  };
}
