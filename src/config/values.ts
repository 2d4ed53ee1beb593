import type { KeyPath } from './yaml-file.ts';
import { isObject } from '../json/is-object.ts';

export function configValueAt(values: unknown, path: KeyPath): unknown {
  let value = values;
  for (const step of path) {
    if (Array.isArray(value) && typeof step === 'number') value = value[step];
    else if (isObject(value) && Object.hasOwn(value, step)) value = value[String(step)];
    else return undefined;
  }
  return value;
}

/**
 * Sets a value and creates missing groups. Does nothing if the path crosses a value that is neither a mapping nor an
 * array.
 */
export function setAt(values: Record<string, unknown>, path: KeyPath, value: unknown): void {
  const parent = parentOf(values, path, true);
  const last = path.at(-1);
  if (Array.isArray(parent)) parent[Number(last)] = value;
  else if (parent) parent[String(last)] = value;
}

/** Removes a key. Array elements stay, because removing one would change the indexes of others. */
export function removeAt(values: Record<string, unknown>, path: KeyPath): boolean {
  const parent = parentOf(values, path, false);
  return isObject(parent) && Reflect.deleteProperty(parent, path.at(-1) ?? '');
}

/** Merges groups recursively. Any other value in `over`, except undefined, replaces the one in `base`. */
export function mergeGroups(base: Record<string, unknown>, over: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(over)) {
    const existing = base[name];
    if (isObject(value) && isObject(existing)) mergeGroups(existing, value);
    else if (value !== undefined) base[name] = structuredClone(value);
  }
}

function parentOf(
  values: Record<string, unknown>,
  path: KeyPath,
  make: boolean,
): Record<string, unknown> | unknown[] | undefined {
  let group: unknown = values;
  for (const step of path.slice(0, -1)) {
    if (Array.isArray(group)) {
      group = group[Number(step)];
      continue;
    }
    if (!isObject(group)) return undefined;
    const name = String(step);
    if (make && (group[name] === undefined || group[name] === null)) group[name] = {};
    group = group[name];
  }
  return isObject(group) || Array.isArray(group) ? group : undefined;
}
