import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = new URL('../../../', import.meta.url);
const MADE_AT = /((?:src|cli)\/[\w./-]+\.ts):(\d+)/;

/** A pattern, with its file and line. */
export interface Found {
  readonly at: string;
  readonly pattern: RegExp;
}

export interface Written {
  /** Literals, each once. */
  readonly literals: readonly Found[];
  /** `src/x.ts:7` of every `new RegExp(…)`. */
  readonly constructions: readonly string[];
}

/** Every pattern literal in `src` and `cli`, and every place that creates one at run time. */
export function writtenPatterns(): Written {
  const literals = new Map<string, Found>();
  const constructions = new Set<string>();
  for (const file of sourceFiles()) {
    const text = readFileSync(new URL(file, ROOT), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    function visit(node: ts.Node): void {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      const at = `${file}:${String(line)}`;
      if (ts.isRegularExpressionLiteral(node)) literals.set(node.text, { at, pattern: patternOf(node.text) });
      if (isConstruction(node)) constructions.add(at);
      ts.forEachChild(node, visit);
    }
    visit(source);
  }
  return { literals: [...literals.values()], constructions: [...constructions].toSorted() };
}

/** Every pattern that the code of `src` and `cli` creates during `work`, each once. */
export async function madePatterns(work: () => Promise<void>): Promise<Found[]> {
  const made = new Map<string, Found>();
  const Native = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Native, {
    construct(target, args: ConstructorParameters<RegExpConstructor>, newTarget) {
      const pattern = Reflect.construct(target, args, newTarget) as RegExp;
      // The frame below this one called `new RegExp`.
      const [, , caller = ''] = (new Error().stack ?? '').split('\n');
      const match = Native.prototype.exec.call(MADE_AT, caller);
      if (match !== null) {
        const at = `${match[1] ?? ''}:${match[2] ?? ''}`;
        made.set(`${at} ${String(pattern)}`, { at, pattern });
      }
      return pattern;
    },
  });
  try {
    await work();
  } finally {
    globalThis.RegExp = Native;
  }
  return [...made.values()];
}

/** Loads a file of the project, by its path from the root. */
export function load(file: string): Promise<unknown> {
  return import(/* @vite-ignore */ fileURLToPath(new URL(file, ROOT)));
}

function sourceFiles(): string[] {
  return ['src', 'cli'].flatMap((folder) =>
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`),
  );
}

function isConstruction(node: ts.Node): boolean {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
}

function patternOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}
