import { LineCounter, parseDocument, type Document } from 'yaml';
import * as z from 'zod';
import { issueMessage } from '../config/issue-message.ts';
import { didYouMean } from '../config/nearest-name.ts';
import { configValueAt } from '../config/values.ts';
import { offsetOf, type KeyPath as Path } from '../config/yaml-file.ts';
import { isObject } from '../json/is-object.ts';

export interface YamlShape<T> {
  readonly schema: z.ZodType<T>;
  /** Name in errors, such as `a card`. */
  readonly kind: string;
}

export interface ReadYaml<T> {
  readonly value: T;
  /** Returns a line number starting at 1. If the path does not exist, the number is that of the closest ancestor. */
  readonly lineOf: (path: Path) => number;
  /** Returns a message with file, line, column, path and the line itself. */
  readonly problem: (path: Path, message: string) => string;
}

/** Aliases can expand exponentially, and policies need few. */
const MAX_ALIASES = 100;
const MAX_SHOWN_LINE = 200;

/** Parses a YAML file. Returns all problems if the file is invalid; never throws. */
export function readYaml<T>(
  name: string,
  text: string,
  shape: YamlShape<T>,
): ReadYaml<T> | readonly string[] {
  const lines = new LineCounter();
  const source = text.split(/\r?\n/);
  function at(offset: number, message: string): string {
    const { line, col } = lines.linePos(offset);
    return `${name}:${String(line)}:${String(col)}: ${message}\n  ${shownLine(source[line - 1])}`;
  }
  let document: Document;
  let values: unknown;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    if (document.errors.length > 0) {
      return document.errors.map(({ pos, code }) =>
        at(pos[0], `is not valid YAML: ${code.toLowerCase().replaceAll('_', ' ')}`),
      );
    }
    values = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch {
    return [`${name}: is nested too deeply, or has too many aliases`];
  }
  function problem(path: Path, message: string): string {
    const dotted = path.map(String).join('.');
    return at(offsetOf(document, path) ?? 0, dotted === '' ? message : `${dotted}: ${message}`);
  }
  const parsed = shape.schema.safeParse(values);
  if (!parsed.success) {
    const reporter: Reporter = { values, problem, shape };
    return parsed.error.issues.flatMap((issue) => shapeProblems(issue, reporter));
  }
  return {
    value: parsed.data,
    lineOf: (path) => lines.linePos(offsetOf(document, path) ?? 0).line,
    problem,
  };
}

interface Reporter {
  readonly values: unknown;
  readonly problem: (path: Path, message: string) => string;
  readonly shape: Pick<YamlShape<unknown>, 'schema' | 'kind'>;
}

function shapeProblems(issue: z.core.$ZodIssue, reporter: Reporter): string[] {
  const { values, problem, shape } = reporter;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => problem([...issue.path, key], unknownKey(key, issue.path, shape)));
  }
  if (issue.code !== 'invalid_union') return [problem(issue.path, issueMessage(issue))];
  const meant = likelyBranch(issue, configValueAt(values, issue.path));
  if (meant === undefined) return [problem(issue.path, 'is not allowed here')];
  return meant.flatMap((inner) =>
    shapeProblems({ ...inner, path: [...issue.path, ...inner.path] } as z.core.$ZodIssue, reporter),
  );
}

/** Returns the branch with the fewest mismatches, which is most likely the intended one. */
function likelyBranch(issue: z.core.$ZodIssueInvalidUnion, value: unknown): z.core.$ZodIssue[] | undefined {
  const branches = issue.errors.filter((errors) => errors.length > 0);
  const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
  const grouped = branches.filter(
    (errors) => !errors.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  const candidates = isGroup && grouped.length > 0 ? grouped : branches;
  return candidates.toSorted((a, b) => countMismatches(a) - countMismatches(b))[0];
}

function countMismatches(errors: readonly z.core.$ZodIssue[]): number {
  return errors.reduce((sum, issue) => {
    if (issue.path.length > 0 && issue.code !== 'invalid_type') return sum + 0.1;
    return sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1);
  }, 0);
}

function unknownKey(key: string, path: Path, { schema, kind }: Reporter['shape']): string {
  return `is not a key ${path.length === 0 ? `of ${kind}` : 'here'}${didYouMean(key, keysOf(schema))}`;
}

function shownLine(line = ''): string {
  return line.length > MAX_SHOWN_LINE ? `${line.slice(0, MAX_SHOWN_LINE)}…` : line;
}

const keysOfSchemas = new WeakMap<z.ZodType, readonly string[]>();

/** Returns all keys of a schema at any depth, for suggestions. */
export function keysOf(schema: z.ZodType): readonly string[] {
  const remembered = keysOfSchemas.get(schema);
  if (remembered !== undefined) return remembered;
  const names = new Set<string>();
  collectKeys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), names);
  const keys = [...names];
  keysOfSchemas.set(schema, keys);
  return keys;
}

function collectKeys(node: unknown, names: Set<string>): void {
  if (Array.isArray(node)) for (const item of node) collectKeys(item, names);
  if (!isObject(node)) return;
  for (const [name, below] of Object.entries(node)) {
    if (name === 'properties' && isObject(below)) for (const key of Object.keys(below)) names.add(key);
    collectKeys(below, names);
  }
}
