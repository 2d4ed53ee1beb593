import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { FAULTS, SYNTAX } from '../support/lint/faults.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Settings {
  readonly rules: Readonly<Record<string, unknown>>;
  readonly overrides: readonly { readonly rules: Readonly<Record<string, unknown>> }[];
  readonly jsPlugins: readonly { readonly name: string; readonly specifier: string }[];
}

const settings = JSON.parse(readFileSync(join(ROOT, '.oxlintrc.json'), 'utf8')) as Settings;
const enabled = [settings.rules, ...settings.overrides.map(({ rules }) => rules)].flatMap((rules) =>
  Object.entries(rules).flatMap(([rule, level]) => (level === 'off' ? [] : [rule])),
);

describe('the linter', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'gw-lint-'));
  let found: ReadonlyMap<string, readonly (string | undefined)[]> = new Map();

  beforeAll(async () => {
    found = await lint(scratch);
  });
  afterAll(() => {
    rmSync(scratch, { recursive: true, force: true });
  });

  it('has a planted fault for each rule', () => {
    const planted = new Set(FAULTS.map(({ rule }) => rule).filter((rule) => rule !== SYNTAX));
    expect([...planted].toSorted()).toEqual([...new Set(enabled)].toSorted());
  });

  it.each(FAULTS.map((fault, at) => ({ ...fault, at })))('finds $rule in $text', ({ rule, at, file }) => {
    expect(found.get(pathOf(at, file))).toContain(reportedAs(rule));
  });

  it('accepts code without a fault', () => {
    expect(found.get('src/right.ts')).toBeUndefined();
  });
});

/** Each fault has its own folder below the one that its rule applies to. */
function pathOf(at: number, file = 'src/fault.ts'): string {
  const folder = dirname(file);
  return join(folder, String(at), file.slice(folder === '.' ? 0 : folder.length + 1));
}

function reportedAs(rule: string): string | undefined {
  if (rule === SYNTAX) return undefined;
  const [plugin = 'eslint', name = ''] = rule.includes('/') ? rule.split('/') : ['eslint', rule];
  return `${plugin}(${name})`;
}

/** Plants the faults under `scratch`, and returns the rules that the linter reports, by file. */
async function lint(scratch: string): Promise<Map<string, (string | undefined)[]>> {
  function write(file: string, text: string): void {
    mkdirSync(dirname(join(scratch, file)), { recursive: true });
    writeFileSync(join(scratch, file), text);
  }
  FAULTS.forEach(({ text, file }, at) => {
    const isScript = file?.endsWith('.js') === true;
    const given = isScript
      ? "import { f } from './f.js';"
      : 'declare const f: (...given: readonly unknown[]) => unknown, a: unknown;';
    const lines = text.startsWith('///') ? [text, given] : [given, text];
    write(pathOf(at, file), [...lines, 'export {};', ''].join('\n'));
  });
  write('src/right.ts', "export const right = 'yes';\n");
  write(
    'tsconfig.json',
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { types: [] },
      include: ['src'],
    }),
  );
  const jsPlugins = settings.jsPlugins.map(({ name, specifier }) => ({
    name,
    specifier: fileURLToPath(import.meta.resolve(specifier)),
  }));
  write('.oxlintrc.json', JSON.stringify({ ...settings, jsPlugins }));
  const { diagnostics } = JSON.parse(await oxlint(scratch)) as {
    readonly diagnostics: readonly { readonly code?: string; readonly filename: string }[];
  };
  const byFile = Map.groupBy(diagnostics, ({ filename }) => filename);
  return new Map([...byFile].map(([file, ofFile]) => [file, ofFile.map(({ code }) => code)]));
}

/** Returns the report of a run that finds something, which oxlint ends with exit code 1. */
function oxlint(cwd: string): Promise<string> {
  const program = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, '--format', 'json'], { cwd, maxBuffer: 2 ** 24 }, (_, stdout) => {
      resolve(stdout);
    });
  });
}
