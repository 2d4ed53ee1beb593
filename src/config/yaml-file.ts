import { isObject } from '../json/is-object.ts';
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
} from 'yaml';
import { fillEnvironment, type Environment } from './environment.ts';
import type { Problem } from './problems.ts';

export type KeyPath = readonly PropertyKey[];

/** The parsed gateway.yaml: plain values with `${ENV}` substituted, and their positions in the text. */
export interface YamlFile {
  readonly values: Record<string, unknown>;
  readonly problems: readonly Problem[];
  /** Dotted paths of substituted values, which are strings even if they represent numbers. */
  readonly filledPaths: ReadonlySet<string>;
  /** Returns `file:line:column` of a key, or of its closest ancestor. */
  locate(path: KeyPath): string;
}

/** Parses a configuration file. Returns problems instead of throwing. */
export function readConfigYaml(name: string, text: string, env: Environment): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  function at(offset: number): string {
    const { line, col } = lines.linePos(offset);
    return `${name}:${String(line)}:${String(col)}`;
  }
  const problems: Problem[] = document.errors.map((error) => ({
    where: at(error.pos[0]),
    path: '',
    message: `not valid YAML: ${error.code.toLowerCase().replaceAll('_', ' ')}`,
  }));
  const isBroken = problems.length > 0;
  const filledPaths = isBroken ? new Set<string>() : fill(document, env, at, problems);
  return {
    values: isBroken ? {} : toValues(document, name, problems),
    problems,
    filledPaths,
    locate(path) {
      const offset = offsetOf(document, path);
      return offset === undefined ? name : at(offset);
    },
  };
}

function toValues(document: Document, name: string, problems: Problem[]): Record<string, unknown> {
  let values: unknown;
  try {
    values = document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch (error) {
    const message =
      error instanceof ReferenceError
        ? 'has too many YAML aliases, or an alias without an anchor'
        : 'is not valid YAML: a merge key (<<) needs a mapping';
    problems.push({ where: name, path: '', message });
    return {};
  }
  if (isObject(values)) return values;
  problems.push({ where: `${name}:1:1`, path: '', message: 'must be a mapping of keys to values' });
  return {};
}

/** Substitutes `${ENV}` in every string value, in place. */
function fill(
  document: Document,
  env: Environment,
  at: (offset: number) => string,
  problems: Problem[],
): Set<string> {
  const filledPaths = new Set<string>();
  visit(document, {
    Scalar(position, node, ancestors) {
      if (position === 'key' || typeof node.value !== 'string' || !node.value.includes('$')) return;
      const path = keyPath([...ancestors, node]);
      const result = fillEnvironment(node.value, env);
      for (const message of result.problems) {
        problems.push({ where: at(node.range?.[0] ?? 0), path, message });
      }
      // Counts as unset after a problem, which would otherwise be reported twice.
      node.value = result.problems.length === 0 ? result.text : null;
      if (result.filled) filledPaths.add(path);
    },
  });
  return filledPaths;
}

function keyPath(chain: readonly unknown[]): string {
  const steps: string[] = [];
  chain.forEach((node, index) => {
    const next = chain[index + 1];
    if (isSeq(node)) steps.push(String(node.items.indexOf(next)));
    else if (isPairLike(node)) steps.push(keyName(node.key));
  });
  return steps.join('.');
}

/** Returns the offset of a key, or of its closest ancestor; undefined for an empty document. */
export function offsetOf(document: Document, path: KeyPath): number | undefined {
  let node: unknown = document.contents;
  let offset = isNode(node) ? node.range?.[0] : undefined;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    const pair = isMap(node) ? node.items.find(({ key }) => keyName(key) === String(step)) : undefined;
    const item: unknown = isSeq(node) ? node.items[Number(step)] : undefined;
    const positioned = pair?.key ?? item;
    if (!isNode(positioned)) break;
    offset = positioned.range?.[0] ?? offset;
    node = pair ? pair.value : item;
  }
  return offset;
}

function keyName(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function isPairLike(node: unknown): node is { key: unknown; value: unknown } {
  return typeof node === 'object' && node !== null && 'key' in node && !isNode(node);
}
